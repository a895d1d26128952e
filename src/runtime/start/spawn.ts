import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { guardedProcess } from '../../defects.ts';
import { quietly } from '../../quietly.ts';
import { nextEventLoopTurn } from '../../clock.ts';
import { errnoOf } from '../base/errno.ts';
import type { ProgramCall } from '../base/inside.ts';

export interface SpawnRequest extends Omit<ProgramCall, 'env'> {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdio: StdioOptions;
}

export type SpawnOutcome =
  | { readonly ok: true; readonly child: ChildProcess; readonly pid: number }
  | { readonly ok: false; readonly errno: string };

/**
 * Starts a process as the leader of its own session and process group. Signals that podrun ignores have their default
 * effect in it (Node does that), podrun's descriptors are closed, and its umask is a container's.
 */
export async function spawnLeader(request: SpawnRequest): Promise<SpawnOutcome> {
  await spawnSlot();
  return outcomeOf(() => withContainerUmask(() => spawnNow(request, { detached: true })));
}

/** Starts a process with podrun's umask, in podrun's session, or as the leader of its own. */
export function spawnBeside(request: SpawnRequest, options: { readonly detached: boolean }): Promise<SpawnOutcome> {
  return outcomeOf(() => spawnNow(request, options));
}

function spawnNow({ file, argv, env, cwd, stdio }: SpawnRequest, { detached }: { detached: boolean }): ChildProcess {
  const [argv0, ...args] = argv;
  return guardedProcess(spawn(file, args, { argv0, env, cwd, stdio, detached }));
}

async function outcomeOf(start: () => ChildProcess): Promise<SpawnOutcome> {
  let child: ChildProcess;
  try {
    child = start();
  } catch (error) {
    return { ok: false, errno: errnoOf(error) }; // E2BIG, ENOMEM, a NUL in a text: Node throws these
  }
  if (child.pid === undefined) {
    const [error] = (await once(child, 'error')) as [Error];
    return { ok: false, errno: errnoOf(error) };
  }
  // Later errors are about signals that could not be sent.
  child.on('error', () => undefined);
  return { ok: true, child, pid: child.pid };
}

/** The number of spawns in one turn of the event loop, which takes some milliseconds. */
const SPAWNS_PER_TURN = 4;

let slot: Promise<void> = Promise.resolve();
let spawnsLeft = SPAWNS_PER_TURN;

/**
 * Waits for a slot. A spawn blocks the event loop for one or two milliseconds: only a few are done in each turn, so
 * that exits and output are handled in between.
 */
export function spawnSlot(): Promise<void> {
  const ownSlot = slot;
  slot = ownSlot.then(nextSlot);
  return ownSlot;
}

async function nextSlot(): Promise<void> {
  spawnsLeft -= 1;
  if (spawnsLeft > 0) return;
  await new Promise<void>(nextEventLoopTurn);
  spawnsLeft = SPAWNS_PER_TURN;
}

/**
 * Runs `start`, which must be synchronous, with a container's umask. A worker thread cannot change the umask of its
 * process.
 */
export function withContainerUmask<T>(start: () => T): T {
  const before = quietly(() => process.umask(0o022));
  if (before === undefined) return start();
  try {
    return start();
  } finally {
    process.umask(before);
  }
}

/** The exit code: 128 + the number of a signal that ended the process, as in shells and container runtimes. */
export function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}
