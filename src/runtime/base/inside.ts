import type { FileOwners, Identity } from './confinement.ts';
import type { SeccompProgram } from './seccomp.ts';

/**
 * Programs of the host that may stand before the program of a container. Each begins its error messages with its name;
 * `limits` is the name of the shell that enters cgroups.
 */
export const ENTERING_TOOLS = [
  'nsenter',
  'unshare',
  'setpriv',
  'flock',
  'mount',
  'env',
  'nice',
  'limits',
  'perl',
] as const;

/** Programs that stand before a program inside a container, as the first words of a command line. */
export interface InsideTools {
  readonly setpriv: readonly [string, ...string[]];
  readonly unshare: readonly [string, ...string[]];
  readonly env: readonly [string, ...string[]];
  /** Undefined: the program among the container's own files, if it has one. */
  readonly setsid?: readonly [string, ...string[]] | undefined;
  /** Takes the last step before a program. Undefined: the machine has no perl. */
  readonly perl?: readonly [string, ...string[]] | undefined;
  /** Starts a program unchanged, whatever its name. */
  readonly unchanged: readonly string[];
  readonly users: FileOwners;
}

/** The rights of a program with a filter of system calls, which one process takes before it becomes the program. */
export interface LastStep {
  readonly identity: Identity;
  readonly seccomp: SeccompProgram;
}

/** The arguments of execve(2) for a program. */
export interface ProgramCall {
  /** True: the program gets a terminal, at its standard streams. */
  readonly hasTerminal?: boolean | undefined;
  /** The path found by `lookUpProgram`. */
  readonly file: string;
  /** The arguments, with the program's name as the first element. */
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The rights that an inside gives the program, see `takesLastStep`. Undefined: the words of `argv` decide. */
  readonly last?: LastStep | undefined;
}

/** The inside of one container: its view of the machine, and the way to start a process there. */
export interface Inside {
  /** The path on the host of a file or folder of the container. Neither needs to exist. */
  pathOf(path: string): string;
  /** The program that podrun has to start, so that a program runs inside. */
  enter(call: ProgramCall): ProgramCall;
  /** The pid of the program, from the pid that was started; that pid itself if the process has ended meanwhile. */
  programOf(pid: number): Promise<number>;
  /** True when the kernel kills all processes of the container with its first one, also hidden ones. */
  readonly isSealed: boolean;
  /**
   * True when the container has its own PID namespace: the process that podrun starts stays outside and waits for the
   * program.
   */
  readonly hasOwnNumbers?: boolean | undefined;
  /**
   * The owner on this machine of files that its programs open. `mapped`: a user with an id that podrun may not give
   * files to. Undefined: podrun's user.
   */
  readonly owner?: { readonly uid: number; readonly gid: number } | 'mapped' | undefined;
  /** The tools for the identity of programs inside. Undefined: the host's tools, without namespaces. */
  readonly tools?: InsideTools | undefined;
  /**
   * The OCI runtime that starts the programs, with the identity of the container. Undefined: the programs of `enter`
   * become the program.
   */
  readonly ociRuntime?: string | undefined;
  /** True when `enter` takes the last step, in the process that changes the root. */
  readonly takesLastStep?: boolean | undefined;
  /** Kills everything inside, without waiting. */
  kill(): void;
  /** Resolves when everything inside has ended and was removed. Never rejects. */
  end(): Promise<void>;
}

/** The inside of a container without isolation: programs see the machine itself. */
export const HOST: Inside = {
  pathOf: (path) => path,
  enter: (call) => call,
  programOf: (pid) => Promise.resolve(pid),
  isSealed: false,
  kill: () => undefined,
  end: () => Promise.resolve(),
};

/** The inside of a container, with some parts in place of its own. */
export function insideWith(inside: Inside, parts: Partial<Inside>): Inside {
  return {
    pathOf: (path) => inside.pathOf(path),
    enter: (call) => inside.enter(call),
    programOf: (pid) => inside.programOf(pid),
    isSealed: inside.isSealed,
    hasOwnNumbers: inside.hasOwnNumbers,
    owner: inside.owner,
    tools: inside.tools,
    ociRuntime: inside.ociRuntime,
    takesLastStep: inside.takesLastStep,
    kill: () => inside.kill(),
    end: () => inside.end(),
    ...parts,
  };
}
