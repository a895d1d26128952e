import type { RecordedUsage } from '../../api/usage-totals.ts';
import type { RecordedRun } from '../recorded-run.ts';
import { type Advice, SEVERITIES } from './advice.ts';
import { crashAdvice } from './crash-rules.ts';
import { endingAdvice } from './ending-rules.ts';
import { evidenceOf } from './evidence.ts';
import { probeAdvice } from './probe-rules.ts';
import { resourceAdvice } from './resource-rules.ts';
import { startupAdvice } from './startup-rules.ts';

/** What a run gives reason to change, and what that was drawn from. */
export interface Advised {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly basis: Basis;
  /** The worst first; those about one container together. */
  readonly advice: readonly Advice[];
}

/** How much there was to look at. */
export interface Basis {
  /** Of the record, milliseconds. */
  readonly lengthMs: number;
  /** Of containers. */
  readonly starts: number;
  /** Of containers, told to stop. */
  readonly stops: number;
  readonly probeAttempts: number;
  /** Runs of containers of which it is known what they took. */
  readonly measured: number;
}

/** Advice from what was measured in a run; without evidence there is none. Undefined: nothing is on record. */
export function advise(run: RecordedRun, usages: readonly RecordedUsage[]): Advised | undefined {
  const evidence = evidenceOf(run, usages);
  if (evidence === undefined) return undefined;
  const { containers, lengthMs } = evidence;
  const all = [
    ...crashAdvice(evidence),
    ...containers.flatMap((container) => [...startupAdvice(container), ...probeAdvice(container)]),
    ...endingAdvice(evidence),
    ...containers.flatMap(resourceAdvice),
  ];
  const runs = containers.flatMap((container) => container.runs);
  const order = new Map(containers.map(({ name }, index) => [name, index]));
  const placeOf = ({ container }: Advice): number => (container === undefined ? -1 : (order.get(container) ?? 0));
  const advice = all.toSorted(
    (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) || placeOf(a) - placeOf(b),
  );
  const { namespace, name, uid } = run;
  const basis: Basis = {
    lengthMs,
    starts: runs.length,
    stops: runs.filter(({ stopMs }) => stopMs !== undefined).length,
    probeAttempts: run.probes.length,
    measured: usages.length,
  };
  return { namespace, name, uid, basis, advice };
}
