import { type ChildProcess, execFile, type ExecFileException, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { guardedProcess } from '../../defects.ts';
import { errnoOf, errnoText } from './errno.ts';
import type { ProgramCall } from './inside.ts';

/** A program that does a small job for podrun and leaves no processes behind. */
export interface HelperCall {
  readonly program: string;
  readonly args: readonly string[];
  /** Default: /, so that no other folder is in use. */
  readonly cwd?: string;
  /** Default: the environment of podrun, in which the messages of programs are English, like podrun's. */
  readonly env?: NodeJS.ProcessEnv;
  /** The time after which the helper is killed. Default: 30 s, more than any helper takes on a busy machine. */
  readonly timeoutMs?: number;
  /** The text for standard input. Default: none. */
  readonly input?: string;
}

export type HelperOutcome =
  | { readonly ok: true; readonly stdout: string }
  /**
   * `why`: one line that begins with the program, and has the last line of `stderr`. `errno`: the error of a program
   * that did not start.
   */
  | { readonly ok: false; readonly errno: string | undefined; readonly why: string; readonly stderr: string };

/** Options of a program that runs in parallel to podrun: podrun alone decides which signals it gets. */
export const STARTED = {
  extendEnv: false,
  cleanup: false,
  forceKillAfterDelay: false,
  buffer: false,
  reject: false,
} as const;

type StartedApart = typeof STARTED & { readonly cwd: '/'; readonly detached: true };
/** Options of such a program as the leader of a session and process group: `killGroup` reaches all its children. */
export const STARTED_APART: StartedApart = { ...STARTED, cwd: '/', detached: true };

const TIMEOUT_MS = 30_000;
const OUTPUT_MAX_BYTES = 256 * 1024 * 1024;

/**
 * Runs a helper to its end. Never rejects: a helper that is missing, fails or hangs is an outcome. Not by execa, which
 * takes 12 ms for the first one: each `apply` has a helper.
 */
export async function runHelper(call: HelperCall): Promise<HelperOutcome> {
  const { program, args, cwd = '/', env = { ...process.env, LC_ALL: 'C' }, timeoutMs = TIMEOUT_MS, input } = call;
  const shortage = shortageOfDescriptors();
  if (shortage !== undefined)
    return { ok: false, errno: shortage, why: `${program} ${startFailure(shortage)}`, stderr: '' };
  const limits = { timeout: timeoutMs, killSignal: 'SIGKILL', maxBuffer: OUTPUT_MAX_BYTES } as const;
  try {
    const running = promisify(execFile)(program, args, { cwd, env, ...limits });
    // A program that does not read its input breaks the pipe.
    running.child.stdin?.on('error', () => undefined).end(input);
    const { stdout } = await running;
    return { ok: true, stdout: stdout.replace(/\n$/, '') };
  } catch (error) {
    const failure = error as ExecFileException;
    const errno = hasRun(failure) ? undefined : errnoOf(failure);
    const why = `${program} ${failureOf(failure, errno, timeoutMs)}`;
    return { ok: false, errno, why, stderr: failure.stderr ?? '' };
  }
}

/** True for a program that has ended by itself or by a signal: one that did not start has neither number nor signal. */
function hasRun({ code, signal }: ExecFileException): boolean {
  return typeof code === 'number' || typeof signal === 'string';
}

/** The first case that holds: a time-out is a signal, too. */
function failureOf(failure: ExecFileException, errno: string | undefined, timeoutMs: number): string {
  const { killed = false, code, signal, stderr = '' } = failure;
  if (killed) return `took longer than ${timeoutMs / 1000}s`;
  if (errno !== undefined) return startFailure(errno);
  const ending = typeof signal === 'string' ? `was ended by ${signal}` : `ended with exit code ${code}`;
  const lastLine = stderr.trimEnd().split('\n').at(-1) ?? '';
  return lastLine === '' ? ending : `${ending}: ${lastLine}`;
}

function startFailure(errno: string): string {
  return `did not start: ${errnoText(errno)}`;
}

/** More descriptors than the start of a program takes: two for each of four pipes, and one for /dev/null. */
const DESCRIPTORS_OF_A_START = 10;

/**
 * Asks whether podrun has descriptors for the start of a program. Without them, Node starts nothing, makes no streams,
 * and emits an error, which execa does not take: it would end podrun.
 * @returns EMFILE or ENFILE. Undefined: there are enough
 */
export function shortageOfDescriptors(): string | undefined {
  const opened: number[] = [];
  try {
    while (opened.length < DESCRIPTORS_OF_A_START) opened.push(openSync('/dev/null', 'r'));
    return undefined;
  } catch (error) {
    const errno = errnoOf(error);
    return ['EMFILE', 'ENFILE'].includes(errno) ? errno : undefined;
  } finally {
    opened.forEach((descriptor) => closeSync(descriptor));
  }
}

/**
 * Returns the program when podrun has descriptors for its start.
 * @throws {Error} (EMFILE, ENFILE) when it has too few
 */
export function startable(program: string): string {
  const code = shortageOfDescriptors();
  if (code !== undefined) throw Object.assign(new Error(`${program} did not start: ${errnoText(code)}`), { code });
  return program;
}

/**
 * Starts a program of podrun as the leader of a session, with a pipe at its input, and a channel for messages and
 * sockets.
 * @throws {Error} (EMFILE, ENFILE) when podrun has too few descriptors
 */
export function startPeer({ file, argv, env, cwd }: ProgramCall): ChildProcess {
  const program = startable(file);
  const options = { cwd, env, detached: true, serialization: 'advanced' } as const;
  return guardedProcess(spawn(program, argv.slice(1), { ...options, stdio: ['pipe', 'ignore', 'ignore', 'ipc'] }));
}
