import type { Root } from '../../lifecycle/index.ts';
import { rootState } from '../workloads/root-phrases.ts';
import type { JunitCase } from './junit.ts';

/** A workload at the time of the verdict. */
export interface DecidedWorkload {
  /** The time of the verdict, milliseconds since 1970. */
  readonly decidedAtMs: number;
  readonly isInterrupted: boolean;
  /** True when it had reached the goal or, without a goal, its end. */
  readonly isThere: boolean;
}

/** The case about a workload as a whole. Its Pods have suites of their own. */
export function workloadCase(root: Root, { decidedAtMs, isInterrupted, isThere }: DecidedWorkload): JunitCase {
  const { kind, metadata } = root.object;
  const { namespace, name, creationTimestamp } = metadata;
  const state = rootState(root);
  const seconds = Math.max(0, (decidedAtMs - Date.parse(creationTimestamp)) / 1000);
  const about = `${namespace}/${name}`;
  const result = ((): JunitCase['result'] => {
    if (isThere) return { type: 'passed', remark: state };
    if (isInterrupted) return { type: 'skipped', message: `interrupted at ${state}` };
    return { type: 'failed', message: state, text: state };
  })();
  return { about, name: `${kind} ${name}`, seconds, result };
}
