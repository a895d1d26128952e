import type { EventDraft } from '../lifecycle/effects.ts';
import type { Confinement, Identity, ResourceLimits } from '../runtime/confinement.ts';
import type { NetworkJoin } from '../runtime/linux/network/join.ts';
import type { ProcessStreams, RunningContainer } from '../runtime/runtime.ts';

/**
 * The program, the variables and the surroundings of a container's main process. Hooks, probes and `exec` use the same.
 */
export interface Preparation {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin: boolean;
  readonly tty?: boolean;
  /** The user that runs the process. Undefined: podrun's own. */
  readonly identity?: Identity | undefined;
  /** The private network of the process. Undefined: the host's. */
  readonly network?: NetworkJoin | undefined;
  /** Replaces paths of the container in a word of a command by paths of the host. */
  readonly translate?: (word: string) => string;
  /** The path on the host for a path of the container: volumes may lie elsewhere. Undefined: the same path. */
  readonly locate?: (path: string) => string;
  /** The container's view of the machine. Undefined: the host as it is. */
  readonly confinement?: Confinement | undefined;
}

export type Prepared =
  | {
      readonly ok: true;
      readonly preparation: Preparation;
      /** Events to record with the first start of the container. */
      readonly notices?: readonly EventDraft[];
    }
  /**
   * The configuration cannot be resolved (the message is kubelet's), or this machine cannot create such a container.
   * Default stage: config.
   */
  | { readonly ok: false; readonly message: string; readonly stage?: 'config' | 'create' };

/** One run of one container. */
export interface InstanceRef {
  readonly id: string;
  readonly container: string;
  readonly attempt: number;
}

/** An instance whose main process was started and has not ended. */
export interface LiveInstance {
  readonly ref: InstanceRef;
  readonly preparation: Preparation;
  readonly running: RunningContainer;
  /** The streams of the main process. Undefined: they cannot be reached. */
  readonly streams: SharedStreams | undefined;
  /** The current limits. A resize of the Pod changes them. */
  limits?: ResourceLimits | undefined;
  /** Aborted when the instance has ended: no program may run in the container any more. */
  readonly ended: AbortController;
  /** Aborted to cut the postStart hook short. */
  readonly postStart: AbortController;
  /** Running hooks of the instance. Each settles after its last output. */
  readonly hooks: Set<Promise<unknown>>;
  /** Set at the exit. Resolves when the exit has been reported. */
  exitReported?: Promise<void>;
}

/** An instance that was just started or taken over, with nothing but its main process. */
export function liveInstance(started: Pick<LiveInstance, 'ref' | 'preparation' | 'running' | 'limits'>): LiveInstance {
  const [ended, postStart] = [new AbortController(), new AbortController()];
  const streams = started.running.streams && sharedStreams(started.running.streams);
  return { ...started, streams, ended, postStart, hooks: new Set() };
}

/** The readers that may hold the output of a container back: attached clients, and the display of the run. */
type OutputHolder = 'attached' | 'shown';

/** Streams whose output waits as long as one of the readers holds it back. */
export interface SharedStreams extends Omit<ProcessStreams, 'holdOutput'> {
  holdOutput(held: boolean, holder?: OutputHolder): void;
}

function sharedStreams(streams: ProcessStreams): SharedStreams {
  const holders = new Set<OutputHolder>();
  return {
    ...streams,
    holdOutput: (held, holder = 'attached') => {
      if (held) holders.add(holder);
      else holders.delete(holder);
      streams.holdOutput(holders.size > 0);
    },
  };
}
