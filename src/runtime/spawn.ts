import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { nextEventLoopTurn } from '../clock.ts';
import { errnoOf } from './errno.ts';

export interface SpawnRequest {
  /** As found by `lookUpProgram`. */
  readonly file: string;
  /** With the program's name as the first element, as the program sees it. */
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stdio: StdioOptions;
}

export type SpawnOutcome =
  | { readonly ok: true; readonly child: ChildProcess; readonly pid: number }
  | { readonly ok: false; readonly errno: string };

/**
 * Starts a process as the leader of a session and a process group of its own. Signals that we ignore are back at their
 * defaults in it (Node sees to that), our descriptors are closed, and its umask is that of a container.
 */
export async function spawnLeader({ file, argv, env, cwd, stdio }: SpawnRequest): Promise<SpawnOutcome> {
  await turnToSpawn();
  const [argv0, ...args] = argv;
  let child: ChildProcess;
  try {
    child = withContainerUmask(() => spawn(file, args, { argv0, env, cwd, stdio, detached: true }));
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

/** Some milliseconds. */
const SPAWNS_IN_A_LAP = 4;

let turn: Promise<void> = Promise.resolve();
let spawnsLeft = SPAWNS_IN_A_LAP;

/**
 * To make a process stops the event loop for one or two milliseconds. Resolves at once, or, when many are to be made,
 * for a few in each lap of the loop, so that exits and output get their turn in between.
 */
export function turnToSpawn(): Promise<void> {
  const mine = turn;
  turn = mine.then(nextTurn);
  return mine;
}

async function nextTurn(): Promise<void> {
  spawnsLeft -= 1;
  if (spawnsLeft > 0) return;
  await new Promise<void>((resolve) => {
    nextEventLoopTurn(resolve);
  });
  spawnsLeft = SPAWNS_IN_A_LAP;
}

/**
 * Runs `start`, which must not wait, under the umask that a container runtime gives its processes. A worker thread
 * cannot change that of its process.
 */
export function withContainerUmask<T>(start: () => T): T {
  const before = changedUmask(0o022);
  if (before === undefined) return start();
  try {
    return start();
  } finally {
    process.umask(before);
  }
}

/** The umask as it was before; undefined where it cannot be changed. */
function changedUmask(mask: number): number | undefined {
  try {
    return process.umask(mask);
  } catch {
    return undefined;
  }
}

/** 128 + the signal's number for a process that a signal ended, as shells and container runtimes have it. */
export function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
}
