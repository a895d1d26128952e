import type { ContainerUser, Instant, TerminalPhase } from '../api/index.ts';
import type { NodeEviction, StorageUsage } from './base/facts.ts';
import type { EnsuredImage, ImageNeed } from './base/image-types.ts';
import type { TerminationCause } from './base/termination.ts';

/** An event in the life of a Pod. `id` names the instance of the container. */
export type Observation =
  /** `podIP`: the address of the Pod. Undefined: the Pod has the address of the node. */
  | { readonly type: 'sandboxReady'; readonly podIP?: string | undefined }
  | { readonly type: 'sandboxStopped' }
  | ContainerStarted
  | ImageSeen
  | StartFailed
  | Exited
  /** No process of the instance is left. */
  | { readonly type: 'swept'; readonly container: string; readonly id: string }
  | HookReturned
  | ProbeTurned
  | { readonly type: 'storageMeasured'; readonly usage: StorageUsage }
  /** The node lacks memory or disk space, and evicts the Pod. */
  | { readonly type: 'evicted'; readonly eviction: NodeEviction }
  | RestartRequest
  | TerminateRequest;

/** A request to restart containers in place: the files that they run have changed, or a user asks for it. */
export interface RestartRequest {
  readonly type: 'restart';
  readonly containers: readonly string[];
  /** True: a user asks for it. Default: the files have changed. */
  readonly isByUser?: boolean | undefined;
}

/** A request to terminate the Pod, or to terminate it sooner. */
export interface TerminateRequest {
  readonly type: 'terminate';
  readonly cause: Exclude<TerminationCause, 'evicted'>;
  readonly graceSeconds: number;
  /** True: every container is killed at once. */
  readonly force: boolean;
  /** True: a running postStart hook is aborted, as with force. */
  readonly breaksOffHook?: boolean;
  /** The terminal phase that another writer gave the Pod. The Pod keeps it. */
  readonly phase?: TerminalPhase | undefined;
}

/** The program of a container runs. */
export interface ContainerStarted {
  readonly type: 'started';
  readonly container: string;
  readonly id: string;
  readonly at: Instant;
  /** Undefined: the runtime does not say. */
  readonly user?: ContainerUser | undefined;
}

/** The agent has looked an image up, and pulled it if it had to. */
export interface ImageSeen {
  readonly type: 'imageSeen';
  readonly need: ImageNeed;
  readonly ensured: EnsuredImage;
}

export interface StartFailed {
  readonly type: 'startFailed';
  readonly container: string;
  readonly id: string;
  /**
   * config: the configuration of the container is incomplete (a ConfigMap is missing). create: the container could not
   * be created. start: its program could not be started.
   */
  readonly stage: 'config' | 'create' | 'start';
  readonly message: string;
  readonly at: Instant;
}

export interface Exited {
  readonly type: 'exited';
  readonly container: string;
  readonly id: string;
  readonly exitCode: number;
  readonly oomKilled: boolean;
  /** The termination message. Undefined: there is none. */
  readonly message: string | undefined;
  readonly at: Instant;
}

export interface HookReturned {
  readonly type: 'hookReturned';
  readonly hook: 'postStart' | 'preStop';
  readonly container: string;
  readonly id: string;
  /** Undefined: the hook succeeded. */
  readonly error: string | undefined;
}

export interface ProbeTurned {
  readonly type: 'probeTurned';
  readonly probe: 'startup' | 'liveness' | 'readiness';
  readonly container: string;
  readonly id: string;
  readonly success: boolean;
}
