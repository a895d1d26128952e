import type { Clock } from '../../clock.ts';
import type { ResourceLimits } from './confinement.ts';
import type { Inside } from './inside.ts';

/** The limits of one container, from before its start to its end. */
export interface Limited {
  /** The folders of its cgroups, if any. */
  readonly cgroups: readonly string[];
  /** The folders of the cgroups in them that have its processes, the only ones that it sees. */
  readonly visibleCgroups: readonly string[];
  /** One sentence about limits that have no effect. Undefined: all have, as far as known. */
  readonly notice: string | undefined;
  /** The inside of the container, whose processes start under the limits. */
  within(inside: Inside): Inside;
  /** Puts a process of the container under the limits, if it could not start under them. Never rejects. */
  place(pid: number): Promise<void>;
  /**
   * Watches limits that the kernel does not enforce, from the start of the main process. Calls `kill` when one is
   * exceeded.
   */
  watch(pid: number, kill: () => void): void;
  /** The mechanism that killed a process for lack of memory. Undefined: none was killed. */
  outOfMemory(): 'kernel' | 'polled' | undefined;
  /** Changes the limits. Returns a sentence about limits that have no effect. */
  change(limits: ResourceLimits): string | undefined;
}

/** A container without limits. */
export const UNLIMITED: Limited = {
  cgroups: [],
  visibleCgroups: [],
  notice: undefined,
  within: (inside) => inside,
  place: () => Promise.resolve(),
  watch: () => undefined,
  outOfMemory: () => undefined,
  change: () => 'limits that the container did not have at its start take effect at its next start',
};

export interface LimitOptions {
  readonly clock: Clock;
  /** True: measure memory where no cgroup limits it. */
  readonly pollsMemory: boolean;
}
