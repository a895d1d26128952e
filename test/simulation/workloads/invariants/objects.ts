import type { WorkloadEntry } from '../workload-entry.ts';
import type { AnyObject } from '../workload-simulation.ts';

interface Counts {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly updatedReplicas?: number;
  readonly conditions?: ReadonlyArray<{ readonly type: string; readonly status: string; lastTransitionTime?: string }>;
}

const countsOf = ({ status = {} }: AnyObject): Counts => status;
const nameOf = ({ kind, metadata: { name } }: AnyObject): string => `${kind} ${name}`;

export function generationsNeverFall(entry: WorkloadEntry): string | undefined {
  if (entry.type !== 'object' || entry.before === undefined) return undefined;
  const { before, object } = entry;
  const generations = [before, object].map(({ metadata }) => metadata.generation ?? 0) as [number, number];
  const observed = [before, object].map((state) => countsOf(state).observedGeneration ?? 0) as [number, number];
  if (generations[1] < generations[0]) return `${nameOf(object)}: generation ${generations.join(' to ')}`;
  if (observed[1] < observed[0]) return `${nameOf(object)}: observedGeneration ${observed.join(' to ')}`;
  return undefined;
}

export function onlyWhatThereIsWasObserved(entry: WorkloadEntry): string | undefined {
  if (entry.type !== 'object') return undefined;
  const { observedGeneration = 0 } = countsOf(entry.object);
  const { generation = 0 } = entry.object.metadata;
  if (observedGeneration <= generation) return undefined;
  return `${nameOf(entry.object)}: observedGeneration ${observedGeneration} of ${generation}`;
}

/** An available Pod is ready, and a ready Pod is there. */
export function countsFitTogether(entry: WorkloadEntry): string | undefined {
  if (entry.type !== 'object' || entry.object.kind === 'Pod') return undefined;
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0, updatedReplicas = 0 } = countsOf(entry.object);
  if (availableReplicas <= readyReplicas && readyReplicas <= replicas && updatedReplicas <= replicas) return undefined;
  return `${nameOf(entry.object)}: ${JSON.stringify(entry.object.status)}`;
}

/** A condition has one entry, and the time of a change only when it has changed. */
export function conditionsTellTheirLastChange(entry: WorkloadEntry): string | undefined {
  if (entry.type !== 'object') return undefined;
  const { conditions = [] } = countsOf(entry.object);
  const before = new Map(entry.before && countsOf(entry.before).conditions?.map((one) => [one.type, one]));
  if (new Set(conditions.map(({ type }) => type)).size < conditions.length) return `${nameOf(entry.object)}: twice`;
  const wrong = conditions.find(({ type, status, lastTransitionTime = '' }) => {
    const last = before.get(type);
    const lastTime = last?.lastTransitionTime ?? '';
    if (last === undefined) return false;
    return last.status === status ? lastTransitionTime !== lastTime : lastTransitionTime < lastTime;
  });
  return wrong && `${nameOf(entry.object)}: ${JSON.stringify([before.get(wrong.type), wrong])}`;
}
