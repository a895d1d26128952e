import { setMaxListeners } from 'node:events';
import type { ContainerLaunch, ProcessStreams, ResourceLimits, RunningContainer } from '../../runtime/index.ts';
import type { InstanceRef } from '../../store/index.ts';

/**
 * The program of a container's main process, its variables and its place on the machine. Hooks, probes and `exec` use
 * the same. Undefined fields are as in ContainerLaunch.
 */
export interface Launch
  extends
    Pick<ContainerLaunch, 'argv' | 'env' | 'cwd' | 'stdin' | 'tty' | 'imageFolder'>,
    Pick<
      ContainerLaunch,
      'identity' | 'limits' | 'seccomp' | 'network' | 'confinement' | 'volumePlaces' | 'stopSignal'
    > {
  /** Replaces paths of the container in a word of a command by paths of the host. */
  readonly translate?: (word: string) => string;
}

/** An instance whose main process was started and has not ended. */
export interface LiveInstance {
  readonly ref: InstanceRef;
  readonly launch: Launch;
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
export function liveInstance(started: Pick<LiveInstance, 'ref' | 'launch' | 'running'>): LiveInstance {
  const [ended, postStart] = [new AbortController(), new AbortController()];
  // Any number of commands may run in a container.
  setMaxListeners(0, ended.signal);
  const streams = started.running.streams && sharedStreams(started.running.streams);
  return { ...started, limits: started.launch.limits, streams, ended, postStart, hooks: new Set() };
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
