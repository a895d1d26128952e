import type { StoredEvent, StoredPod } from '../../../src/api/base/objects.ts';
import type { JournalEntry } from '../../../src/simulation/simulated-runtime.ts';
import type { Happening } from './scenario.ts';

/** One entry of a simulation, in order, as an outside observer sees it. */
export type Entry = { readonly atMs: number; readonly wallMs: number } & (
  | { readonly type: 'pod'; readonly change: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly pod: StoredPod }
  /** The agent is about to start an instance. */
  | { readonly type: 'asked'; readonly container: string; readonly id: string }
  | { readonly type: 'event'; readonly event: StoredEvent }
  | { readonly type: 'machine'; readonly entry: JournalEntry }
  | { readonly type: 'sandbox'; readonly what: 'asked' | 'failed' | 'ready' | 'removed' }
  | { readonly type: 'happening'; readonly happening: Happening }
  /** The agent has finished the Pod. */
  | { readonly type: 'over' }
  /** Nothing more happens at this instant. */
  | Settled
);

export interface Settled {
  readonly type: 'settled';
  /** The agent's copy of the Pod, and the stored Pod. Undefined: it was removed. */
  readonly inMind: StoredPod;
  readonly stored: StoredPod | undefined;
  /** The number of alarms. 0: nothing will happen by itself. */
  readonly alarms: number;
}
