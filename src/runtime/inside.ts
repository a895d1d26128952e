/** Programs of the host that may stand before one of a container. Each says its name before what has gone wrong. */
export const ENTERING_TOOLS = ['nsenter', 'unshare', 'setpriv', 'flock', 'mount', 'env', 'nice'] as const;

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

/** The inside of a container that is not kept apart: programs see the machine as it is. */
export const HOST: Inside = {
  pathOf: (path) => path,
  enter: (call) => call,
  programOf: (pid) => Promise.resolve(pid),
  isSealed: false,
  kill: () => undefined,
  end: () => Promise.resolve(),
};
