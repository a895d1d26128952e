import type { StoredPod } from '../../api/objects.ts';

/** The request from outside that ends a run: a vanished terminal, Ctrl-C, an output that nobody reads, a kill. */
export type EndingSignal = 'SIGHUP' | 'SIGINT' | 'SIGPIPE' | 'SIGTERM';

/** A Pod that had reached the goal and broke down before podrun began to end it. */
export interface Lapse {
  /** The Pod as it was when that was seen. */
  readonly pod: StoredPod;
  /** The container that ended by itself; undefined: the whole Pod failed or was lost. */
  readonly container: string | undefined;
}

/** The way in which a run of `apply` came to its end. */
export type RunOutcome =
  /** Every Pod ended, or was deleted, by itself. */
  | { readonly type: 'ended' }
  | { readonly type: 'goalMet' }
  /** This Pod can never reach the goal any more. */
  | { readonly type: 'goalImpossible'; readonly pod: StoredPod }
  /** All Pods had reached the goal, and then this one broke down. */
  | { readonly type: 'goalLapsed'; readonly lapse: Lapse }
  /** All that is left waits for images that no program stands for. The Pods that wait. */
  | { readonly type: 'stuck'; readonly pods: readonly StoredPod[] }
  /** The Pods as they were when the time was up. */
  | {
      readonly type: 'timedOut';
      readonly pods: readonly StoredPod[];
      readonly duringCommand: boolean;
      /** The moment, milliseconds since 1970. */
      readonly atMs: number;
    }
  /** COMMAND ended. `lapse` is the first breakdown of a Pod while COMMAND was running. */
  | { readonly type: 'commandEnded'; readonly exitCode: number; readonly lapse?: Lapse | undefined }
  | { readonly type: 'interrupted'; readonly signal: EndingSignal };
