import type { Clock } from '../../clock.ts';
import type { ResourceLimits } from '../confinement.ts';
import type { Inside, ProgramCall } from '../inside.ts';

/** The limits of one container, from before its start to its end. */
export interface Limited {
  /** Folders of its cgroups, if it has any. */
  readonly cgroups: readonly string[];
  /** Which limits do not hold, and why, in one sentence; undefined: all do, as far as is known by now. */
  readonly notice: string | undefined;
  /** The inside of the container, where its main process is under the limits from the beginning. */
  within(inside: Inside): Inside;
  /** What is to be started so that the program waits to be taken in; undefined: it cannot wait, or need not. */
  gate(entered: ProgramCall, call: ProgramCall): ProgramCall | undefined;
  /** A process was started that waits; `open` lets it go on. */
  waits(pid: number, open: () => void): void;
  /** Takes in a process that has just been started for the container. Never rejects. */
  place(pid: number): Promise<void>;
  /** The main process runs. What nobody else enforces is watched from now on, and `kill` called when it is too much. */
  watch(pid: number, kill: () => void): void;
  /** Was a process killed for the memory that the container takes, and by whom? */
  outOfMemory(): 'kernel' | 'polled' | undefined;
  /** Others from now on. Answers which of them do not hold, and why. */
  change(limits: ResourceLimits): string | undefined;
}

/** A container without limits. */
export const UNLIMITED: Limited = {
  cgroups: [],
  notice: undefined,
  within: (inside) => inside,
  gate: () => undefined,
  waits: () => undefined,
  place: () => Promise.resolve(),
  watch: () => undefined,
  outOfMemory: () => undefined,
  change: () => 'limits that a container had not at its start hold when it is restarted',
};

export interface LimitOptions {
  readonly clock: Clock;
  /** Watch memory where no cgroup limits it. */
  readonly pollsMemory: boolean;
}
