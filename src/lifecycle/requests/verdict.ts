import { EXIT, type StoredPod } from '../../api/index.ts';
import { type Root, rootEnd } from './root.ts';

/** The signal that ends a run: the terminal is gone, Ctrl-C, the output has no reader, a kill. */
export type EndingSignal = 'SIGHUP' | 'SIGINT' | 'SIGPIPE' | 'SIGTERM';

/** A Pod that had reached the goal and then broke down before podrun began to end it. */
export interface Lapse {
  /** The Pod when podrun noticed the lapse. */
  readonly pod: StoredPod;
  /** The container that ended by itself. Undefined: the whole Pod failed or was lost. */
  readonly container: string | undefined;
}

/** A Pod or workload that was deleted while COMMAND ran, by neither a controller nor COMMAND. */
export interface ForeignDeletion {
  readonly root: Root;
  /** The root, or a Pod of it, in the state before. */
  readonly object: Root['object'];
  /** `root with podrun delete pod web (process 17)` */
  readonly author: string;
}

/** An applied object that can never serve. */
export interface Unservable {
  /** `service/web` */
  readonly about: string;
  /** The field at fault. Empty for the object as a whole. */
  readonly path: string;
  readonly message: string;
}

/** One line: `service/web: spec.selector: selects no Pod`. */
export function unservableText({ about, path, message }: Unservable): string {
  return `${about}: ${path === '' ? '' : `${path}: `}${message}`;
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
  /** Applied objects lead nowhere, or another program has their address. */
  | { readonly type: 'unservable'; readonly objects: readonly Unservable[] }
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
  | {
      readonly type: 'commandEnded';
      readonly exitCode: number;
      /** The first lapse of a Pod while COMMAND ran. */
      readonly lapse?: Lapse | undefined;
      /** Other roots that had reached the goal, and have failed since or are not Ready any more. */
      readonly missing: readonly Root[];
      /** The deletions by neither controllers nor COMMAND. Default: none. */
      readonly deleted?: readonly ForeignDeletion[];
      /** Services and Ingresses whose address another program has. */
      readonly unservable: readonly Unservable[];
    }
  /** podrun itself failed where it decides about the run. */
  | { readonly type: 'broken' }
  | { readonly type: 'interrupted'; readonly signal: EndingSignal };

/** A root or a Pod because of which a run counts as failed. */
export type Fault =
  /** A Pod ended with another phase than Succeeded, or a Job was not Complete. */
  | { readonly type: 'failed'; readonly root: Root }
  /** The root can no longer reach the goal. */
  | { readonly type: 'impossible'; readonly root: Root }
  /** The Pod had reached the goal and broke down; see `Lapse`. */
  | { readonly type: 'lapsed'; readonly pod: StoredPod; readonly container: string | undefined }
  /** The root was not Ready when COMMAND ended. */
  | { readonly type: 'unready'; readonly root: Root }
  /** The root, or a Pod of it, was deleted while COMMAND ran. */
  | ({ readonly type: 'deleted' } & ForeignDeletion)
  /** podrun knows no program for the image of the Pod. */
  | { readonly type: 'stuck'; readonly pod: StoredPod };

/** The completeness of a run's record. `lost`: the record of a Pod or the whole state folder is gone. */
export type RunRecord = 'complete' | 'incomplete' | 'lost';

export interface Verdict {
  /** The exit code of `apply`, as its help lists them. */
  readonly exitCode: number;
  /** `interrupted`: a signal ended the run, so the run has neither passed nor failed. */
  readonly result: 'passed' | 'failed' | 'interrupted';
  /**
   * The roots and Pods at fault, at the moment when podrun noticed the fault. Empty when the time limit, COMMAND or the
   * record decided.
   */
  readonly faults: readonly Fault[];
}

const SIGNAL_EXIT = {
  SIGHUP: EXIT.hungUp,
  SIGINT: EXIT.interrupted,
  SIGPIPE: EXIT.readerGone,
  SIGTERM: EXIT.terminated,
} as const;

/**
 * The verdict on a run. The exit code of `apply`, its last lines, its JUnit report and the error of the library's
 * `until` all follow this verdict.
 * @param roots all roots of the run, in their present state
 */
export function verdictOf(outcome: RunOutcome, roots: readonly Root[], record: RunRecord): Verdict {
  const verdict = verdictOnRoots(outcome, roots);
  const isRecordToBlame = record === 'lost' || (record === 'incomplete' && verdict.exitCode === EXIT.ok);
  return isRecordToBlame ? { ...verdict, exitCode: EXIT.failed, result: 'failed' } : verdict;
}

function verdictOnRoots(outcome: RunOutcome, roots: readonly Root[]): Verdict {
  switch (outcome.type) {
    case 'ended':
      return failing(roots.flatMap((root) => (rootEnd(root) === 'succeeded' ? [] : [{ type: 'failed', root }])));
    case 'goalMet':
      return failing([]);
    case 'goalImpossible':
      return failing([{ type: 'impossible', root: outcome.root }]);
    case 'goalLapsed':
      return failing([{ type: 'lapsed', ...outcome.lapse }]);
    case 'stuck':
      return failing(outcome.pods.map((pod) => ({ type: 'stuck', pod })));
    case 'timedOut':
      return { exitCode: EXIT.timeout, result: 'failed', faults: [] };
    case 'commandEnded': {
      const { exitCode, lapse, missing, unservable, deleted = [] } = outcome;
      const verdict = failing([
        ...(lapse === undefined ? [] : [{ type: 'lapsed', ...lapse } as const]),
        ...missing.map((root) => ({ type: rootEnd(root) === 'failed' ? 'failed' : 'unready', root }) as const),
        ...deleted.map((deletion) => ({ type: 'deleted', ...deletion }) as const),
      ]);
      const code = exitCode === 0 && unservable.length > 0 ? EXIT.failed : exitCode;
      return code === 0 ? verdict : { ...verdict, exitCode: code, result: 'failed' };
    }
    case 'unservable':
    case 'broken':
      return { exitCode: EXIT.failed, result: 'failed', faults: [] };
    case 'interrupted':
      return { exitCode: SIGNAL_EXIT[outcome.signal], result: 'interrupted', faults: [] };
    default:
      return outcome satisfies never;
  }
}

function failing(faults: readonly Fault[]): Verdict {
  return faults.length === 0
    ? { exitCode: EXIT.ok, result: 'passed', faults }
    : { exitCode: EXIT.failed, result: 'failed', faults };
}
