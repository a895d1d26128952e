import type { Inside } from './inside.ts';
import type { ContainerLaunch, PodOutcome, PodRequest } from './runtime.ts';

/** Isolates containers from the machine. */
export interface Confiner {
  /**
   * Creates the inside of a container that is about to start.
   * @param cgroups the folders of the cgroups for its processes
   */
  open(launch: ContainerLaunch, cgroups: readonly string[]): Promise<InsideOutcome>;
  /** See Runtime.openPod. Never rejects. */
  openPod(request: PodRequest): Promise<PodOutcome>;
  /** Never rejects. */
  closePod(uid: string): Promise<void>;
  /** Prepares work that the next container would wait for. */
  prepare(): void;
  /** Kills everything inside all containers, without waiting. */
  killAll(): void;
  /** Ends prepared processes that no container has used. Never rejects. */
  close(): Promise<void>;
}

export type InsideOutcome =
  | { readonly ok: true; readonly inside: Inside }
  /** The reason in one sentence. */
  | { readonly ok: false; readonly error: string };
