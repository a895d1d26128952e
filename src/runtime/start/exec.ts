import { inBackground } from '../../defects.ts';
import type { Clock } from '../../clock.ts';
import { errnoOf } from '../base/errno.ts';
import type { Inside } from '../base/inside.ts';
import { killGroup } from '../watch/kill.ts';
import { exitOf } from './main-process.ts';
import type { PipeReader } from '../pipes/pipe-reader.ts';
import { factsOf, quickStartTimeOf } from '../watch/process-identity.ts';
import type { PipeMaker, ProcessPipes } from '../pipes/process-pipes.ts';
import { CONTAINER_MARKER } from '../watch/process-table.ts';
import type { ExecOutcome, ExecRequest, OutputStream } from '../base/runtime.ts';
import { spawnLeader, type SpawnOutcome } from './spawn.ts';
import { type Lookup, lookUpProgram, whyNotEnterable, whyNotLoadable } from './start-checks.ts';
import { CONTAINER_STOPPED, execFailed, execveFailed, forkFailed, isForkError } from './start-errors.ts';
import type { Watchdog } from '../watch/watchdog.ts';

/** The dependencies of a command in a container. */
export interface ExecDependencies {
  readonly inside: Inside;
  readonly clock: Clock;
  readonly pipes: PipeMaker;
  readonly watchdog: Watchdog;
  /** Puts the started process under the limits of the container. Never rejects. */
  readonly place: (pid: number) => Promise<void>;
}

/**
 * Runs a command beside the main process of a container, and waits for its end.
 *
 * As on a node, the command ends when its output is closed, not when its process ends: a background child that keeps
 * stdout open delays the result, also beyond the timeout, which is for the process alone. Unlike on a node, a timeout
 * kills the command's whole process group, not only its first process.
 */
export async function runExec(request: ExecRequest, dependencies: ExecDependencies): Promise<ExecOutcome> {
  const { signal, maxOutputBytes } = request;
  if (signal?.aborted === true) return { type: 'aborted' };
  const { clock, watchdog, place } = dependencies;
  const checked = checkCommand(request, dependencies.inside);
  if (!checked.ok) return failedToStart(checked.error);
  const spawned = await spawnPiped(request, checked.file, false, dependencies);
  if (!spawned.ok) return failedToStart(spawned.why);
  const { child, pid, pipes } = spawned;
  const exited = exitOf(child).then(({ exitCode }) => exitCode);
  inBackground(exited.then(watchdog.add({ pid, startTime: quickStartTimeOf(pid) })));
  const collected = new CollectedOutput(maxOutputBytes);
  const { output: reader } = pipes.connect(child, (stream, chunk) => {
    collected.add(stream, chunk);
    request.onOutput?.(stream, chunk);
  });
  reader.hold(false);
  await place(pid);
  return await outcomeOf({ pid, exited, reader, collected }, request, clock);
}

/** Finds the program of a command beside the main process. The error is in runc's words. */
export function checkCommand({ argv, cwd, env }: Pick<ExecRequest, 'argv' | 'cwd' | 'env'>, inside: Inside): Lookup {
  const pathOf: Inside['pathOf'] = (path) => inside.pathOf(path);
  const isPartlyHidden = inside.tools?.users === 'mapped';
  const problem = whyNotEnterable(cwd, pathOf);
  if (problem !== undefined && !isPartlyHidden) {
    // A container that lives has a root. The one of an ended container is gone, with all of its folders.
    const hasEnded = whyNotEnterable('/', pathOf) !== undefined;
    return { ok: false, error: hasEnded ? CONTAINER_STOPPED : problem };
  }
  const lookup = lookUpProgram({ name: argv[0], cwd, searchPath: env['PATH'], pathOf, isPartlyHidden });
  const unloadable = lookup.ok ? whyNotLoadable(lookup.file, cwd, pathOf) : undefined;
  return lookup.ok && unloadable !== undefined ? { ok: false, error: execveFailed(lookup.file, unloadable) } : lookup;
}

/** Starts the process of a command, with pipes. The reason of a failure is in runc's words. */
export async function spawnPiped(
  { id, argv, cwd, env }: Pick<ExecRequest, 'id' | 'argv' | 'cwd' | 'env'>,
  file: string,
  hasInput: boolean,
  { inside, pipes: maker }: ExecDependencies,
): Promise<(SpawnOutcome & { ok: true; pipes: ProcessPipes }) | { ok: false; why: string }> {
  let pipes: ProcessPipes;
  try {
    pipes = await maker.make({ owner: inside.owner, hasInput });
  } catch (error) {
    return { ok: false, why: forkFailed(errnoOf(error)) };
  }
  const call = inside.enter({ argv, cwd, file, env: { ...env, [CONTAINER_MARKER]: id } });
  const spawned = await spawnLeader({ ...call, stdio: [...pipes.stdio] });
  if (spawned.ok) return { ...spawned, pipes };
  pipes.discard();
  const { errno } = spawned;
  return { ok: false, why: isForkError(errno) ? forkFailed(errno) : execveFailed(file, errno) };
}

/** A running command. */
interface StartedCommand {
  readonly pid: number;
  /** Resolves with the exit code when the process has ended. */
  readonly exited: Promise<number>;
  readonly reader: PipeReader;
  readonly collected: CollectedOutput;
}

async function outcomeOf(command: StartedCommand, request: ExecRequest, clock: Clock): Promise<ExecOutcome> {
  const { timeoutMs, signal } = request;
  const { pid, exited, reader, collected } = command;
  let timedOut = false;
  const onTimeout = (): void => {
    timedOut = true;
    killGroup(pid);
  };
  const alarm = timeoutMs === undefined ? undefined : clock.wakeAt(clock.now().monotonicMs + timeoutMs, onTimeout);
  let running = true;
  const ended = exited.then(async (exitCode) => {
    running = false;
    alarm?.cancel();
    await reader.closed;
    return exitCode;
  });
  const abort = abortion(signal);
  const exitCode = await Promise.race([ended, abort.promise]);
  abort.forget();
  if (exitCode === undefined) {
    alarm?.cancel();
    // Once the process is gone, another one may have its pid. If no process has it, it still names the group.
    if (running || factsOf(pid) === undefined) killGroup(pid);
    reader.close();
    return { type: 'aborted' };
  }
  return timedOut ? { type: 'timedOut', ...collected.texts() } : { type: 'exited', exitCode, ...collected.texts() };
}

/** A promise that settles when the signal is aborted, and a function that stops listening. */
function abortion(signal: AbortSignal | undefined): { promise: Promise<undefined>; forget: () => void } {
  let onAbort = (): void => undefined;
  const promise = new Promise<undefined>((resolve) => {
    onAbort = () => resolve(undefined);
    // The signal was aborted while the command was being started.
    if (signal?.aborted === true) onAbort();
  });
  signal?.addEventListener('abort', onAbort, { once: true });
  return { promise, forget: () => signal?.removeEventListener('abort', onAbort) };
}

/** The first bytes of stdout, then of stderr, as the kubelet shows them. Later bytes are read and dropped. */
class CollectedOutput {
  readonly #bytesMax: number;
  readonly #chunks = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  readonly #bytes = { stdout: 0, stderr: 0 };

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  readonly add = (stream: OutputStream, chunk: Buffer): void => {
    const bytesLeft = this.#bytesMax - this.#bytes[stream];
    if (bytesLeft > 0) this.#chunks[stream].push(Buffer.from(chunk.subarray(0, bytesLeft)));
    this.#bytes[stream] += chunk.length;
  };

  texts(): { readonly stdout: string; readonly stderr: string } {
    const stdout = Buffer.concat(this.#chunks.stdout);
    const stderr = Buffer.concat(this.#chunks.stderr).subarray(0, this.#bytesMax - stdout.length);
    return { stdout: stdout.toString(), stderr: stderr.toString() };
  }
}

function failedToStart(why: string): ExecOutcome {
  return { type: 'failedToStart', error: execFailed(execID(), why) };
}

/** 64 hex digits, as container runtimes name an exec. It only appears in messages, and need not be hard to guess. */
export function execID(): string {
  return Array.from({ length: 64 }, () => Math.floor(Math.random() * 16).toString(16)).join('');
}
