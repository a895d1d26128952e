import type { AnyObject } from './workload-simulation.ts';
import type { Happening } from './workload-scenario.ts';

/** One entry of a simulation of a workload, in order, as an outside observer sees it. */
export type WorkloadEntry = { readonly atMs: number; readonly wallMs: number } & (
  | ObjectEntry
  | { readonly type: 'happening'; readonly happening: Happening | { readonly does: 'rest' | 'deletion' | 'revival' } }
  /** Nothing more happens at this instant, and an agent lives. */
  | { readonly type: 'settled'; readonly runningPods: readonly string[] }
  /** Nothing more happens at all: no alarm is set. */
  | { readonly type: 'rest' }
  /** The same, after the applied object was deleted. */
  | { readonly type: 'end'; readonly isLoopOver: boolean }
);

/** An object was written. */
export interface ObjectEntry {
  readonly type: 'object';
  readonly change: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: AnyObject;
  /** The last state of the object. Undefined for a new one. */
  readonly before: AnyObject | undefined;
  /** True: a client wrote it, and not the agent. */
  readonly isByClient: boolean;
}
