import type { EventDraft } from '../lifecycle/effects.ts';
import type { Confinement, Identity, ResourceLimits } from '../runtime/confinement.ts';
import type { NetworkJoin } from '../runtime/network/join.ts';
import type { ProcessStreams, RunningContainer } from '../runtime/runtime.ts';

/** What a container's main process is started with; hooks, probes and `exec` run with the same. */
export interface Preparation {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdin: boolean;
  readonly tty?: boolean;
  /** As whom it runs; undefined: podrun's own. */
  readonly identity?: Identity | undefined;
  /** The private network that it is in; undefined: that of the host. */
  readonly network?: NetworkJoin | undefined;
  /** Paths of the container, in the words of a command that runs in it, become those of the host. */
  readonly translate?: (word: string) => string;
  /** Where a path of the container is for its programs: volumes may be elsewhere. Undefined: where it says. */
  readonly locate?: (path: string) => string;
  /** What it sees of the machine; undefined: the host as it is. */
  readonly confinement?: Confinement | undefined;
}

export type Prepared =
  | {
      readonly ok: true;
      readonly preparation: Preparation;
      /** What is to be said about the container when it starts for the first time. */
      readonly notices?: readonly EventDraft[];
    }
  /**
   * The container's configuration cannot be resolved, in kubelet's words; or this machine cannot make such a container.
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
  /** Those of its main process. Undefined: nobody can reach them. */
  readonly streams: SharedStreams | undefined;
  /** As they hold now: others when the Pod is resized. */
  limits?: ResourceLimits | undefined;
  /** Aborted when the instance has ended: nothing may run in it any more. */
  readonly ended: AbortController;
  /** Aborted when its postStart hook is to be broken off. */
  readonly postStart: AbortController;
  /** Hooks that run in it; settled when they have said their last. */
  readonly hooks: Set<Promise<unknown>>;
  /** Once it has ended: resolves when that has been told. */
  endTold?: Promise<void>;
}

/** An instance that has just been started or taken over: nothing runs in it beside its main process. */
export function liveInstance(started: Pick<LiveInstance, 'ref' | 'preparation' | 'running' | 'limits'>): LiveInstance {
  const [ended, postStart] = [new AbortController(), new AbortController()];
  const streams = started.running.streams && sharedStreams(started.running.streams);
  return { ...started, streams, ended, postStart, hooks: new Set() };
}

/** Who may hold the output of a container back: those who are attached to it, and the one who shows the run. */
type OutputHolder = 'attached' | 'shown';

/** Streams whose output stays where it is as long as one of several wants that. */
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
