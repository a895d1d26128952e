import type { ContainerLaunch } from './runtime.ts';

/** A program that is to run, in the words of execve(2). */
export interface ProgramCall {
  /** As found by `lookUpProgram`. */
  readonly file: string;
  /** With the program's name as the first element, as the program sees it. */
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** The inside of one container: what its programs see of the machine, and how a process gets there. */
export interface Inside {
  /** Where a file or folder of the container is for us; neither needs to be there. */
  pathOf(path: string): string;
  /** What we have to start so that a program runs inside. */
  enter(call: ProgramCall): ProgramCall;
  /** The process of the program, given the one that was started; that one itself when it has ended meanwhile. */
  programOf(pid: number): Promise<number>;
  /** The kernel ends all processes of the container with its first, also those that hide. */
  readonly isSealed: boolean;
  /** Its processes have numbers of their own; what we have started stays outside, and waits for the program. */
  readonly hasOwnNumbers?: boolean | undefined;
  /** To whom on this machine belongs what its programs are to open; undefined: to podrun's user. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
  /** Ends everything inside, at once and without waiting. */
  kill(): void;
  /** Resolves when everything inside has ended and nothing of it is left; never rejects. */
  end(): Promise<void>;
}

export type InsideOutcome =
  | { readonly ok: true; readonly inside: Inside }
  /** Why there is none, in one sentence. */
  | { readonly ok: false; readonly error: string };

/** How containers are kept apart from the machine. */
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

/** The inside of a container that is not kept apart: programs see the machine as it is. */
export const HOST: Inside = {
  pathOf: (path) => path,
  enter: (call) => call,
  programOf: (pid) => Promise.resolve(pid),
  isSealed: false,
  kill: () => undefined,
  end: () => Promise.resolve(),
};
