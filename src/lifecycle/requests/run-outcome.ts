import type { StoredPod } from '../../api/index.ts';
import type { Root } from './root.ts';

/** The signal that ends a run: the terminal is gone, Ctrl-C, the output has no reader, a kill. */
export type EndingSignal = 'SIGHUP' | 'SIGINT' | 'SIGPIPE' | 'SIGTERM';

/** A Pod that had reached the goal and then broke down before podrun began to end it. */
export interface Lapse {
  /** The Pod when podrun noticed the lapse. */
  readonly pod: StoredPod;
  /** The container that ended by itself. Undefined: the whole Pod failed or was lost. */
  readonly container: string | undefined;
}

/** The end of a run of `apply`. */
export type RunOutcome =
  /** Every root has ended or was deleted, and no Pod runs. */
  | { readonly type: 'ended' }
  | { readonly type: 'goalMet' }
  /** This root can no longer reach the goal. */
  | { readonly type: 'goalImpossible'; readonly root: Root }
  /** All roots had reached the goal, and then a Pod broke down. */
  | { readonly type: 'goalLapsed'; readonly lapse: Lapse }
  /** All remaining Pods wait for images for which podrun knows no program. */
  | { readonly type: 'stuck'; readonly pods: readonly StoredPod[] }
  /** The roots at the time limit. */
  | {
      readonly type: 'timedOut';
      readonly roots: readonly Root[];
      /** Lines about Services without a ready endpoint. */
      readonly unserved: readonly string[];
      readonly duringCommand: boolean;
      /** The time limit, milliseconds since 1970. */
      readonly atMs: number;
    }
  /** COMMAND has ended. `lapse` is the first lapse of a Pod while COMMAND ran. */
  | { readonly type: 'commandEnded'; readonly exitCode: number; readonly lapse?: Lapse | undefined }
  /** podrun itself failed where it decides about the run. */
  | { readonly type: 'broken' }
  | { readonly type: 'interrupted'; readonly signal: EndingSignal };
