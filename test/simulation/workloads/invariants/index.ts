import type { WorkloadEntry } from '../workload-entry.ts';
import { WorkloadPast } from '../workload-past.ts';
import type { WorkloadScenario } from '../workload-scenario.ts';
import { InvariantBroken } from '../../invariants/index.ts';
import * as cronJobs from './cron-jobs.ts';
import * as daemonSets from './daemon-sets.ts';
import * as deployments from './deployments.ts';
import * as jobs from './jobs.ts';
import * as objects from './objects.ts';
import * as owners from './owners.ts';
import * as replicaSets from './replica-sets.ts';
import * as services from './services.ts';
import * as statefulSets from './stateful-sets.ts';

/** A check that passes at any time: see ../../invariants/invariant.ts. */
export type WorkloadInvariant = (entry: WorkloadEntry, past: WorkloadPast) => string | undefined;

/** The invariants of all workloads, and of those of a kind. */
const GENERAL: Readonly<Record<string, WorkloadInvariant>> = { ...objects, ...owners, ...replicaSets, ...services };
const OF_KIND: Readonly<Record<string, Readonly<Record<string, WorkloadInvariant>>>> = {
  CronJob: { ...cronJobs, ...jobs },
  DaemonSet: daemonSets,
  Deployment: deployments,
  Job: jobs,
  StatefulSet: statefulSets,
};

/** All invariants by name. */
export const WORKLOAD_INVARIANTS: Readonly<Record<string, WorkloadInvariant>> = Object.assign(
  { ...GENERAL },
  ...Object.values(OF_KIND),
);

/** Watches a scenario: it must get every entry. Throws at the first entry that breaks an invariant. */
export class WorkloadObserver {
  readonly past: WorkloadPast;
  readonly #invariants: ReadonlyArray<readonly [string, WorkloadInvariant]>;

  constructor(scenario: WorkloadScenario) {
    this.past = new WorkloadPast(scenario);
    this.#invariants = Object.entries({ ...GENERAL, ...OF_KIND[scenario.object.kind] });
  }

  readonly see = (entry: WorkloadEntry): void => {
    this.past.record(entry);
    for (const [name, invariant] of this.#invariants) {
      const complaint = invariant(entry, this.past);
      if (complaint !== undefined) throw new InvariantBroken(name, entry.atMs, complaint);
    }
  };
}
