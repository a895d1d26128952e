import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Clock } from '../clock.ts';
import { errnoOf } from './errno.ts';
import { killGroup } from './kill.ts';
import { factsOf } from './process-identity.ts';
import { CONTAINER_MARKER } from './process-table.ts';
import type { ExecOutcome, ExecRequest } from './runtime.ts';
import { exitCodeOf, turnToSpawn, withContainerUmask } from './spawn.ts';
import { isPlainText, lookUpProgram, whyNotEnterable } from './start-checks.ts';
import { execFailed, execveFailed, forkFailed, isForkError } from './start-errors.ts';

/**
 * Runs a command beside the main process of a container, and waits for its end.
 *
 * As on a node, the command is over when its output is closed, not when its process has ended: a background child that
 * keeps stdout holds the result back, also beyond the timeout, which is for the process alone. Unlike there, a timeout
 * kills the command's whole process group, not its first process only.
 */
export async function runExec(request: ExecRequest, clock: Clock): Promise<ExecOutcome> {
  if (request.signal?.aborted === true) return { type: 'aborted' };
  const { argv, cwd, env } = request;
  const [name, ...args] = argv;
  const problem = whyNotEnterable(cwd);
  if (problem !== undefined) return failedToStart(problem);
  const lookup = lookUpProgram({ name, cwd, searchPath: env['PATH'] });
  if (!lookup.ok) return failedToStart(lookup.error);
  const { file } = lookup;
  if (isPlainText(file, cwd)) return failedToStart(execveFailed(file, 'ENOEXEC'));
  const command = await spawnCommand({ ...request, file, args });
  if ('errno' in command) {
    const { errno } = command;
    return failedToStart(isForkError(errno) ? forkFailed(errno) : execveFailed(file, errno));
  }
  return await outcomeOf(command, request, clock);
}

/** What this file needs of a child process; execa's own type does not survive being named. */
interface Command {
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The exit code, as soon as the process has ended. */
  readonly exited: Promise<number>;
  /** Settles when the process has ended and nobody holds its output any more. */
  readonly closed: Promise<void>;
}

type SpawnFailure = { readonly errno: string };

async function spawnCommand(
  request: ExecRequest & { readonly file: string; readonly args: readonly string[] },
): Promise<Command | SpawnFailure> {
  const { file, args, argv, cwd, env, id } = request;
  // Loading execa costs more than many a command: only who runs one pays.
  const { execa } = await import('execa');
  const options = {
    argv0: argv[0],
    cwd,
    env: { ...env, [CONTAINER_MARKER]: id },
    extendEnv: false,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    encoding: 'buffer',
    buffer: false,
    reject: false,
    cleanup: false,
    detached: true,
  } as const;
  // execa refuses a NUL, which ends a text for the kernel, before it tries.
  if ([...args, ...Object.entries(env).flat()].some((text) => text.includes('\0'))) return { errno: 'EINVAL' };
  await turnToSpawn();
  const subprocess = withContainerUmask(() => execa(file, args, options));
  const { pid, stdout, stderr } = subprocess;
  if (pid === undefined) return { errno: errnoOf(await subprocess) };
  const exited = new Promise<number>((resolve) => {
    subprocess.once('exit', (code, signal) => resolve(exitCodeOf(code, signal)));
  });
  return { pid, stdout, stderr, exited, closed: subprocess.then(() => undefined) };
}

async function outcomeOf(command: Command, request: ExecRequest, clock: Clock): Promise<ExecOutcome> {
  const { timeoutMs, maxOutputBytes, signal } = request;
  const collected = {
    stdout: collect(command.stdout, maxOutputBytes),
    stderr: collect(command.stderr, maxOutputBytes),
  };
  let timedOut = false;
  const onTimeout = (): void => {
    timedOut = true;
    killGroup(command.pid);
  };
  const alarm = timeoutMs === undefined ? undefined : clock.wakeAt(clock.now().monotonicMs + timeoutMs, onTimeout);
  let running = true;
  const ended = command.exited.then(async (exitCode) => {
    running = false;
    alarm?.cancel();
    await command.closed;
    return exitCode;
  });
  const abort = abortion(signal);
  const exitCode = await Promise.race([ended, abort.promise]);
  abort.forget();
  if (exitCode === undefined) {
    alarm?.cancel();
    // When the process is gone, its number may be another's; if it is nobody's, the group is still what it was.
    if (running || factsOf(command.pid) === undefined) killGroup(command.pid);
    command.stdout.destroy();
    command.stderr.destroy();
    return { type: 'aborted' };
  }
  const stdout = Buffer.concat(collected.stdout);
  const stderr = Buffer.concat(collected.stderr).subarray(0, maxOutputBytes - stdout.length);
  const output = { stdout: stdout.toString(), stderr: stderr.toString() };
  return timedOut ? { type: 'timedOut', ...output } : { type: 'exited', exitCode, ...output };
}

/** A promise that settles when the signal is aborted, and a way to stop listening to it. */
function abortion(signal: AbortSignal | undefined): { promise: Promise<undefined>; forget: () => void } {
  let onAbort = (): void => undefined;
  const promise = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined);
    // Aborted while the command was being started.
    if (signal?.aborted === true) onAbort();
  });
  signal?.addEventListener('abort', onAbort, { once: true });
  return { promise, forget: () => signal?.removeEventListener('abort', onAbort) };
}

/** Keeps the first bytes of a stream, and reads the others, so that nobody has to wait for a full pipe. */
function collect(stream: Readable, bytesMax: number): Buffer[] {
  const chunks: Buffer[] = [];
  let bytesLeft = bytesMax;
  stream.on('data', (chunk: Buffer) => {
    if (bytesLeft > 0) chunks.push(chunk.subarray(0, bytesLeft));
    bytesLeft -= chunk.length;
  });
  return chunks;
}

function failedToStart(why: string): ExecOutcome {
  return { type: 'failedToStart', error: execFailed(randomBytes(32).toString('hex'), why) };
}
