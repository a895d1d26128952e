import type { StoredPod } from '../../../src/api/base/objects.ts';
import { isWorkload } from '../../../src/api/workloads/stored-workloads.ts';
import { parseRunGoal, UP } from '../../../src/controllers/goals/run-goal.ts';
import { unservedServices } from '../../../src/controllers/goals/service-goal.ts';
import { ApplyRun } from '../../../src/engine/run/apply-run.ts';
import { podRoot, type Root } from '../../../src/lifecycle/requests/root.ts';
import { type RunOutcome, verdictOf } from '../../../src/lifecycle/requests/verdict.ts';
import { templateOf } from '../../controllers/manifests.ts';
import { behaviourOf } from '../workloads/workload-run.ts';
import { type AnyObject, WorkloadSimulation } from '../workloads/workload-simulation.ts';
import type { VerdictHappening, VerdictScenario } from './verdict-scenario.ts';

/** One entry of a run: a write, the beginning of COMMAND, or the verdict. */
export type VerdictEntry = { readonly atMs: number; readonly wallMs: number } & (
  | {
      readonly type: 'object';
      readonly change: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly object: AnyObject;
      readonly isByClient: boolean;
    }
  | { readonly type: 'happening'; readonly happening: VerdictHappening }
  | { readonly type: 'command' }
  | { readonly type: 'verdict'; readonly exitCode: number; readonly how: RunOutcome['type'] }
);

const TIMEOUT_MS = 60_000;
/** The number of instants after which a run that does not end is a defect. */
const STEPS_MAX = 5000;

/** Runs a scenario: the real decision about a run, over real controllers and PodRuns, in a simulated machine. */
export class VerdictRun {
  readonly entries: VerdictEntry[] = [];
  readonly #scenario: VerdictScenario;
  readonly #simulation: WorkloadSimulation;
  #roots: readonly AnyObject[] = [];
  readonly #gone = new Map<string, AnyObject>();
  #isClientActing = false;
  #deletesFailed = false;
  #apply: ApplyRun | undefined;
  #isDecided = false;

  constructor(scenario: VerdictScenario) {
    this.#scenario = scenario;
    const { programs } = scenario;
    this.#simulation = new WorkloadSimulation({
      behave: (pod, attempt) => behaviourOf(programs[pod % programs.length]!, attempt),
      onWrite: ({ type: change, object }) => {
        if (object.kind === 'Event') return;
        if (change === 'DELETED') this.#gone.set(object.metadata.uid, object);
        this.#tell({ type: 'object', change, object, isByClient: this.#isClientActing });
        this.#apply?.check();
        if (change !== 'DELETED' && this.#deletesFailed) this.#deleteIfFailed(object);
      },
      onTurn: () => this.#apply?.check(),
    });
  }

  /** Runs until the verdict. */
  async live(): Promise<void> {
    const { objects, happenings } = this.#scenario;
    const { clock } = this.#simulation;
    this.#asClient(() => {
      this.#roots = objects.map((object) => this.#simulation.apply(object));
    });
    for (const root of this.#roots) {
      if (root.kind === 'Pod') this.#simulation.agent.run(root as unknown as StoredPod);
    }
    this.#apply = this.#begin();
    this.#apply.check();
    let dueMs = 0;
    for (const happening of happenings) {
      dueMs += happening.afterMs;
      clock.wakeAt(dueMs, () => {
        if (this.#isDecided) return;
        this.#tell({ type: 'happening', happening });
        this.#asClient(() => this.#happen(happening));
      });
    }
    await clock.run(0);
    for (let steps = 0; !this.#isDecided; steps += 1) {
      if (steps > STEPS_MAX) throw new Error('the run never ends');
      await clock.step(clock.nextAlarmMs ?? clock.now().monotonicMs + TIMEOUT_MS);
    }
    this.#simulation.agent.close();
  }

  #begin(): ApplyRun {
    const { until, command, settleMs, allowRestarts } = this.#scenario;
    const { clock } = this.#simulation;
    const goal = until.length > 0 ? parseRunGoal(until) : command && UP;
    const run = { isOver: false, terminate: () => undefined };
    return new ApplyRun(run, {
      roots: () => this.#rootsNow(),
      isOver: () => this.#rootsNow().every(({ object, isGone }) => isGone || hasEnded(object)),
      clock,
      goal,
      rules: { settleMs, allowRestarts },
      timeoutMs: TIMEOUT_MS,
      unserved: () => this.#unserved(),
      onDecided: (outcome) => {
        const { exitCode } = verdictOf(outcome, this.#rootsNow(), 'complete');
        this.#tell({ type: 'verdict', exitCode, how: outcome.type });
        this.#isDecided = true;
      },
      command: command && {
        run: () => {
          this.#tell({ type: 'command' });
          return new Promise((resolve) => {
            clock.wakeAt(clock.now().monotonicMs + command.durationMs, () => resolve(command.exitCode));
          });
        },
        stop: () => undefined,
      },
    });
  }

  #rootsNow(): readonly Root[] {
    const pods = this.#simulation.pods();
    return this.#roots.flatMap((applied): Root[] => {
      const { uid } = applied.metadata;
      const now = this.#simulation.list(applied.kind).find(({ metadata }) => metadata.uid === uid);
      const object = now ?? this.#gone.get(uid) ?? applied;
      if (object.kind === 'Pod') return [podRoot(object as unknown as StoredPod)];
      if (!isWorkload(object)) return [];
      return [{ object, isGone: now === undefined, pods: this.#below(uid, pods) }];
    });
  }

  #below(uid: string, pods: readonly StoredPod[]): readonly StoredPod[] {
    const sets = this.#simulation.list('ReplicaSet').filter((set) => isOwnedBy(set, uid));
    const owners = [uid, ...sets.map(({ metadata }) => metadata.uid)];
    return pods.filter((pod) => owners.some((owner) => isOwnedBy(pod, owner)));
  }

  #unserved(): readonly string[] {
    const services = this.#simulation.list('Service') as never[];
    const slices = this.#simulation.list('EndpointSlice') as never[];
    const pods = this.#rootsNow().flatMap((root) => root.pods);
    return unservedServices(services, slices, pods).map(() => 'a Service is not served');
  }

  #happen({ does, which }: VerdictHappening): void {
    const pods = this.#simulation.pods();
    const pod = pods[which % Math.max(1, pods.length)];
    const servers = this.#roots.filter(({ kind }) => ['Deployment', 'ReplicaSet', 'StatefulSet'].includes(kind));
    switch (does) {
      case 'crash':
        return pod && this.#simulation.crash(pod, which % 2);
      case 'readiness':
        return pod && this.#simulation.toggleReadiness(pod);
      case 'deleteFailed':
        this.#deletesFailed = true;
        return this.#simulation.list('Job').forEach((job) => this.#deleteIfFailed(job));
      case 'deletePod':
        return pod && this.#simulation.delete('Pod', pod.metadata.name);
      case 'deleteRoot': {
        const root = this.#roots[which % this.#roots.length]!;
        return this.#isLiving(root) ? this.#simulation.delete(root.kind, root.metadata.name) : undefined;
      }
      case 'scale':
      case 'rollOut': {
        const server = servers.find((each) => this.#isLiving(each));
        const template = templateOf(String(which)) as never;
        const spec = does === 'scale' ? { replicas: which % 3 } : { template };
        return server && this.#simulation.patch(server.kind, server.metadata.name, { spec });
      }
      default:
        return does satisfies never;
    }
  }

  /** Deletes a Job that has Failed, at once: a client hears of the failure in a later turn. */
  #deleteIfFailed(job: AnyObject): void {
    if (job.kind !== 'Job' || !hasFailed(job) || job.metadata.deletionTimestamp !== undefined) return;
    const { clock } = this.#simulation;
    clock.wakeAt(clock.now().monotonicMs, () => {
      if (!this.#isDecided && this.#isLiving(job)) {
        this.#asClient(() => this.#simulation.delete(job.kind, job.metadata.name));
      }
    });
  }

  #isLiving({ kind, metadata: { uid } }: AnyObject): boolean {
    return this.#simulation.list(kind).some(({ metadata }) => metadata.uid === uid);
  }

  #asClient(act: () => void): void {
    this.#isClientActing = true;
    try {
      act();
    } finally {
      this.#isClientActing = false;
    }
  }

  #tell(entry: WithoutTime<VerdictEntry>): void {
    const { monotonicMs: atMs, wallMs } = this.#simulation.clock.now();
    this.entries.push({ atMs, wallMs, ...entry });
  }
}

type WithoutTime<T> = T extends unknown ? Omit<T, 'atMs' | 'wallMs'> : never;

function isOwnedBy({ metadata }: Pick<StoredPod, 'metadata'>, uid: string): boolean {
  return metadata.ownerReferences?.some((owner) => owner.uid === uid && owner.controller === true) === true;
}

interface EndStatus {
  readonly phase?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

function hasEnded({ kind, status }: Root['object']): boolean {
  const { phase, conditions = [] } = (status ?? {}) as EndStatus;
  if (kind === 'Pod') return phase === 'Failed' || phase === 'Succeeded';
  return kind === 'Job' && conditions.some(({ type, status: is }) => /^(Complete|Failed)$/.test(type) && is === 'True');
}

function hasFailed({ status = {} }: AnyObject): boolean {
  return (status as EndStatus).conditions?.some(({ type, status: is }) => type === 'Failed' && is === 'True') === true;
}
