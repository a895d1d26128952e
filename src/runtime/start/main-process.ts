import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import type { Writable } from 'node:stream';
import { inBackground } from '../../defects.ts';
import type { Inside } from '../base/inside.ts';
import type { Limited } from '../base/limited.ts';
import type { ContainerLaunch, ProcessInput, ProcessStreams } from '../base/runtime.ts';
import type { ConnectedPipes, ProcessPipes } from '../pipes/process-pipes.ts';
import { sendSignal } from '../watch/kill.ts';
import { CONTAINER_MARKER } from '../watch/process-table.ts';
import { exitCodeOf, spawnLeader, type SpawnOutcome } from './spawn.ts';
import { whyNotLoadable } from './start-checks.ts';
import { execveFailed, isForkError } from './start-errors.ts';

const { SIGCONT } = constants.signals;

/** The main process of a container, with pipes or a terminal. */
export interface MainProcess {
  /**
   * The started process, which leads a process group of this number: the program, or the tool that has entered the
   * container.
   */
  readonly pid: number;
  /** The process of the program. */
  readonly programPid: number;
  /** Resolves at the exit, whether or not all output was read. */
  readonly ended: Promise<{ readonly exitCode: number; readonly signal: NodeJS.Signals | undefined }>;
  /** Passes on output that was written but not read yet, after the exit. */
  finishOutput(): Promise<void>;
  /** Sends a signal to this process alone. */
  signal(number: number): void;
  readonly streams: ProcessStreams;
}

/** A main process in a terminal of its own, or the reason why there is none. */
export type TerminalOutcome =
  | { readonly ok: true; readonly process: MainProcess; readonly notice: string | undefined }
  | { readonly ok: false; readonly why: string };

/**
 * A child process with pipes.
 * @param program resolves with the pid of its program
 */
export async function pipedProcess(
  child: ChildProcess,
  pid: number,
  { output, input }: ConnectedPipes,
  program: Promise<number>,
): Promise<MainProcess> {
  // A program may end, or close its input, before it has read everything.
  input?.on('error', () => undefined);
  const ended = exitOf(child);
  inBackground(ended.then(() => input?.destroy()));
  const programPid = await program;
  return {
    pid,
    programPid,
    ended,
    finishOutput: () => output.finish(),
    signal: (number) => signalProgram({ pid, programPid }, number),
    streams: {
      input: input && pipedInput(input),
      terminal: undefined,
      holdOutput: (held) => output.hold(held),
    },
  };
}

export function exitOf(child: ChildProcess): MainProcess['ended'] {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve({ exitCode: exitCodeOf(code, signal), signal: signal ?? undefined });
    });
  });
}

/**
 * Sends a signal to the program. The tool that waits for it stops together with the program: SIGCONT must reach both.
 */
export function signalProgram({ pid, programPid }: Pick<MainProcess, 'pid' | 'programPid'>, number: number): void {
  sendSignal(programPid, number);
  if (number === SIGCONT && programPid !== pid) sendSignal(pid, number);
}

/** The input of a process as a stream of Node. */
export function pipedInput(stream: Writable, endOfInput?: Buffer): ProcessInput {
  return {
    write: (chunk) =>
      new Promise((resolve) => {
        stream.write(chunk, () => resolve());
      }),
    end: () => {
      if (endOfInput === undefined) stream.end();
      else stream.write(endOfInput);
    },
  };
}

/** The inside and the limits of a container's processes. */
export interface SpawnContext {
  readonly inside: Inside;
  readonly limited: Limited;
}

interface MainSpawned {
  readonly spawned: SpawnOutcome;
  /** The command line of the started process: the tools, then the program, see StartupWatch. */
  readonly commandLine: readonly string[];
}

/**
 * Starts the main process. When execve(2) refuses the program (the interpreter of a script is missing, the arguments
 * are too long, …), a node's container has already started: its process, runc itself up to that point, writes the
 * reason to stderr and exits with 1 (runc 1.1; 255 since 1.2). A stand-in does the same here. Only arguments and
 * variables that are too long keep it from starting: runc itself could not start with them.
 */
export async function spawnMain(
  launch: ContainerLaunch,
  file: string,
  { stdio }: ProcessPipes,
  inside: Inside,
): Promise<MainSpawned> {
  const { argv, cwd, id } = launch;
  const marker = { [CONTAINER_MARKER]: id };
  const errno = whyNotLoadable(file, cwd, (path) => inside.pathOf(path));
  const call = { file, argv, cwd, env: { ...launch.env, ...marker } };
  const started = inside.enter(call);
  const spawned: SpawnOutcome =
    errno === undefined ? await spawnLeader({ ...started, stdio: [...stdio] }) : { ok: false, errno };
  if (spawned.ok || isForkError(spawned.errno) || spawned.errno === 'E2BIG')
    return { spawned, commandLine: started.argv };
  const standIn = ['sh', '-c', 'printf "%s\\n" "$0" >&2; exit 1', execveFailed(file, spawned.errno)] as const;
  const stoodIn = await spawnLeader({ file: '/bin/sh', argv: [...standIn], cwd: '/', env: marker, stdio: [...stdio] });
  return { spawned: stoodIn, commandLine: argv };
}
