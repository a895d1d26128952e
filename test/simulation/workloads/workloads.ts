import { stringify } from 'yaml';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { asError, type Life, type Subject, timelineLine } from '../search.ts';
import { arbitraryWorkload } from './arbitrary-workload.ts';
import { WorkloadObserver } from './invariants/index.ts';
import type { WorkloadEntry } from './workload-entry.ts';
import { WorkloadRun } from './workload-run.ts';
import type { WorkloadScenario } from './workload-scenario.ts';

/** Workloads of all kinds, with agents that die. */
export const WORKLOADS: Subject<WorkloadScenario, WorkloadEntry> = {
  name: 'workloads',
  arbitrary: arbitraryWorkload,
  live,
  scenarioText: ({ object, ...world }) =>
    `${stringify(object)}---\n# What its programs and others do\n${stringify(world)}`,
  timeline: (entries) => entries.flatMap((entry) => line(entry).map((text) => timelineLine(entry.atMs, text))),
};

/** Runs a scenario from its first instant to its last, or to the first error. */
async function live(scenario: WorkloadScenario): Promise<Life<WorkloadEntry>> {
  const observer = new WorkloadObserver(scenario);
  const { entries } = observer.past;
  try {
    await new WorkloadRun(scenario, observer.see).live();
    return { entries, error: undefined };
  } catch (error) {
    return { entries, error: asError(error) };
  }
}

function line(entry: WorkloadEntry): string[] {
  switch (entry.type) {
    case 'object': {
      const { change, object, isByClient } = entry;
      const { kind, metadata } = object;
      if (kind === 'Event') return [];
      const who = isByClient ? ' by a client' : '';
      const ending = metadata.deletionTimestamp === undefined ? '' : ' (ends)';
      return [`${change.toLowerCase()}${who}  ${kind} ${metadata.name}${ending}  ${stateOf(entry.object)}`];
    }
    case 'happening':
      return [`>>> ${JSON.stringify(entry.happening)}`];
    case 'settled':
      return [];
    case 'rest':
    case 'end':
      return [entry.type];
    default:
      return entry satisfies never;
  }
}

/** The state of an object, in short. */
export function stateOf({ kind, spec, status }: { kind: string; spec?: unknown; status?: unknown }): string {
  if (kind !== 'Pod') {
    const { replicas, parallelism } = (spec ?? {}) as { replicas?: number; parallelism?: number };
    const { conditions: _, ...counts } = (status ?? {}) as Record<string, unknown>;
    return `${replicas ?? parallelism ?? ''} ${JSON.stringify(counts)}`;
  }
  const { phase, conditions = [] } = status as StoredPod['status'];
  const isReady = conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True');
  return `${phase}${isReady ? ' ready' : ''}`;
}
