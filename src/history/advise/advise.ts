import type { RecordedUsage } from '../../machine/index.ts';
import { lastStateOf, type RecordedRun } from '../base/recorded-run.ts';
import { type Advice, SEVERITIES } from './advice.ts';
import { crashAdvice } from './crash-rules.ts';
import { endingAdvice } from './ending-rules.ts';
import { evidenceOf, stopOf } from './evidence.ts';
import { placementAdvice, type WorkloadPods } from './placement-rules.ts';
import { probeAdvice } from './probe-rules.ts';
import { resourceAdvice, roomAdvice } from './resource-rules.ts';
import { startupAdvice } from './startup-rules.ts';

/** The advice for a run, and the amount of data behind it. */
export interface RunAdvice extends Pick<RecordedRun, 'namespace' | 'name' | 'uid'> {
  readonly basis: Basis;
  /** The worst advice first. For equal severity, in the order of the containers. */
  readonly advice: readonly Advice[];
}

/** The amount of data behind an advice. */
export interface Basis {
  /** The length of the record, milliseconds. */
  readonly lengthMs: number;
  /** The number of container starts. */
  readonly starts: number;
  /** The number of runs of containers that were asked to stop. */
  readonly stops: number;
  readonly probeAttempts: number;
  /** The number of runs of containers with recorded usage. */
  readonly measured: number;
}

/**
 * Computes advice from the measurements of a run. Undefined: the run has no record.
 * @param replicas default: there is one node, or no workload made the Pod
 */
export function advise(
  run: RecordedRun,
  usages: readonly RecordedUsage[],
  replicas?: WorkloadPods,
): RunAdvice | undefined {
  const evidence = evidenceOf(run, usages);
  if (evidence === undefined) return undefined;
  const { containers } = evidence;
  const pod = lastStateOf(run);
  const all = [
    ...roomAdvice(run),
    ...(pod && replicas ? placementAdvice(pod, replicas) : []),
    ...crashAdvice(evidence),
    ...containers.flatMap((container) => [...startupAdvice(container), ...probeAdvice(container)]),
    ...endingAdvice(evidence),
    ...containers.flatMap(resourceAdvice),
  ];
  const runs = containers.flatMap((container) => container.runs.map((one) => stopOf(container, one)));
  const order = new Map(containers.map(({ name }, index) => [name, index]));
  const placeOf = ({ container }: Advice): number => (container === undefined ? -1 : (order.get(container) ?? 0));
  const advice = all.toSorted(
    (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) || placeOf(a) - placeOf(b),
  );
  const { namespace, name, uid } = run;
  const basis: Basis = {
    lengthMs: (run.transitions.at(-1)?.at ?? 0) - (run.transitions[0]?.at ?? 0),
    starts: runs.length,
    stops: runs.filter((stopMs) => stopMs !== undefined).length,
    probeAttempts: run.probes.length,
    measured: usages.length,
  };
  return { namespace, name, uid, basis, advice };
}
