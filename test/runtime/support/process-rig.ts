import { mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect } from 'vitest';
import { SystemClock } from '../../../src/clock.ts';
import type { NamespaceFacts } from '../../../src/runtime/base/features.ts';
import { Namespaces } from '../../../src/runtime/linux/namespaces.ts';
import { ProcessRuntime } from '../../../src/runtime/process-runtime.ts';
import type {
  ContainerLaunch,
  ExecRequest,
  OutputStream,
  ProcessExit,
  RunningContainer,
} from '../../../src/runtime/base/runtime.ts';
import { PATIENCE_MS } from '../../patience.ts';
import { removeTree } from '../../../src/remove-tree.ts';

/** A container that a test has started, with its output and its exit. */
export interface Started {
  readonly id: string;
  readonly container: RunningContainer;
  readonly exit: Promise<ProcessExit>;
  /** Settles when the container has exited and all of its processes are gone. */
  readonly gone: Promise<void>;
  readonly pieces: { readonly stream: OutputStream; readonly text: string }[];
  /** All output so far, both streams in order of arrival. */
  readonly text: () => string;
}

/** A runtime with real processes in a folder of its own. Created at the top level of a test file. */
export interface Rig {
  readonly clock: SystemClock;
  readonly runtime: ProcessRuntime;
  readonly folder: string;
  /** Starts a program, by default in the rig's folder and with its PATH. Fails when the start fails. */
  start(argv: Argv, changes?: Partial<ContainerLaunch>): Promise<Started>;
  /** Expects a start to fail. Returns the runtime's error. */
  startFailing(argv: Argv, changes?: Partial<ContainerLaunch>): Promise<string>;
  /** Runs a program to its end, and waits for its remaining processes. */
  run(argv: Argv, changes?: Partial<ContainerLaunch>): Promise<{ exit: ProcessExit; text: string; started: Started }>;
  execRequest(argv: Argv, changes?: Partial<ExecRequest>): ExecRequest;
}

export type Argv = readonly [string, ...string[]];

export const PATH: string = process.env['PATH'] ?? '/usr/bin:/bin';

export function sh(script: string): Argv {
  return ['sh', '-c', script];
}

/**
 * Makes the rig, with namespaces where there are facts. After each test, checks that no process with its mark is alive.
 */
export function makeRig(pipes: 'fifo' | 'pipe' = 'fifo', facts?: NamespaceFacts): Rig {
  const clock = new SystemClock();
  const folder = mkdtempSync(join(tmpdir(), 'podrun-runtime-'));
  const confiner = facts && new Namespaces({ facts, clock, commonDir: join(folder, 'common') });
  const features = facts && ({ tier: 'namespace', namespaces: facts } as const);
  const runtime = new ProcessRuntime({ clock, fifoDir: join(folder, 'fifos'), pipes, confiner, features });
  const prefix = `rig-${process.pid}-${Math.random().toString(36).slice(2)}-`;
  let count = 0;

  const launchOf = (argv: Argv, changes: Partial<ContainerLaunch>) => {
    const pieces: Started['pieces'] = [];
    let onExit = (_exit: ProcessExit): void => undefined;
    const exit = new Promise<ProcessExit>((resolve) => (onExit = resolve));
    let ended = 0;
    const launch: ContainerLaunch = {
      id: `${prefix}${++count}`,
      argv,
      env: { PATH },
      cwd: folder,
      stdin: false,
      onOutput: (stream, chunk) => {
        expect(ended, 'output after the exit').toBe(0);
        pieces.push({ stream, text: chunk.toString('latin1') });
      },
      onExit: (processExit) => {
        expect(++ended, 'exits of one container').toBe(1);
        onExit(processExit);
      },
      ...changes,
    };
    return { launch, pieces, exit };
  };

  const start: Rig['start'] = async (argv, changes = {}) => {
    const { launch, pieces, exit } = launchOf(argv, changes);
    const outcome = await runtime.start(launch);
    if (!outcome.ok) throw new Error(outcome.error);
    const text = (): string => pieces.map((piece) => piece.text).join('');
    const gone = exit.then(({ swept }) => swept);
    return { id: launch.id, container: outcome.container, exit, gone, pieces, text };
  };

  afterEach(async () => {
    try {
      await until(
        () => marked(prefix).length === 0,
        () => `left over: ${marked(prefix).join(', ')}`,
      );
    } finally {
      for (const pid of markedPids(prefix)) process.kill(pid, 'SIGKILL');
    }
  });

  afterAll(async () => {
    // FIFOs for the next start may be in the making.
    await runtime.close();
    removeTree(folder);
  });

  return {
    clock,
    runtime,
    folder,
    start,
    startFailing: async (argv, changes = {}) => {
      const { launch } = launchOf(argv, changes);
      const outcome = await runtime.start(launch);
      if (outcome.ok) throw new Error(`${argv.join(' ')} has started`);
      return outcome.error;
    },
    run: async (argv, changes = {}) => {
      const started = await start(argv, changes);
      const exit = await started.exit;
      await exit.swept;
      return { exit, text: started.text(), started };
    },
    execRequest: (argv, changes = {}) => ({
      id: `${prefix}exec`,
      argv,
      env: { PATH },
      cwd: folder,
      timeoutMs: undefined,
      maxOutputBytes: 10_240,
      ...changes,
    }),
  };
}

/** Waits until a condition holds. Fails after `limitMs` with the last value. */
export async function until(
  reached: () => boolean,
  lastSeen: () => string,
  limitMs: number = PATIENCE_MS,
): Promise<void> {
  const deadlineMs = performance.now() + limitMs;
  while (!reached()) {
    if (performance.now() > deadlineMs) throw new Error(`not reached in ${limitMs} ms; ${lastSeen()}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 5);
    });
  }
}

/** Pids of the living processes with the mark of a container whose id begins like this. */
export function markedPids(idPrefix: string): number[] {
  return marked(idPrefix).map((line) => Number.parseInt(line, 10));
}

/** The pids of so many marked processes: one that has just begun shows its mark a moment later. */
export async function pidsOnceMarked(idPrefix: string, count: number): Promise<number[]> {
  await until(
    () => markedPids(idPrefix).length === count,
    () => `marked: ${marked(idPrefix).join('; ')}`,
  );
  return markedPids(idPrefix);
}

/** `pid command` of every living process with the mark of a container whose id begins like this. */
export function marked(idPrefix: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const environ = readQuietly(`/proc/${pid}/environ`);
      if (!environ.split('\0').some((pair) => pair.startsWith(`PODRUN_CONTAINER_ID=${idPrefix}`))) return [];
      return [`${pid} ${readQuietly(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`];
    });
}

/** True when a process with this pid runs and is not a zombie. */
export function isRunning(pid: number): boolean {
  const stat = readQuietly(`/proc/${pid}/stat`);
  return stat !== '' && !/\) [ZX] /.test(stat);
}

function readQuietly(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
