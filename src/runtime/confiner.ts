import type { Inside } from './inside.ts';
import type { ContainerLaunch } from './runtime.ts';

/** Keeps containers apart from the machine. */
export interface Confiner {
  /** Makes the inside of a container that is about to start. */
  open(launch: ContainerLaunch): Promise<InsideOutcome>;
  /** Does ahead of time what the next container would have to wait for. */
  prepare(): void;
  /** Ends everything inside all containers, at once and without waiting. */
  killAll(): void;
  /** Ends what was prepared for nobody. Never rejects. */
  close(): Promise<void>;
}

export type InsideOutcome =
  | { readonly ok: true; readonly inside: Inside }
  /** Why there is none, in one sentence. */
  | { readonly ok: false; readonly error: string };
