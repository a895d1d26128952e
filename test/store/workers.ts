import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, onTestFinished } from 'vitest';

let program: string;

/** Bundles worker.ts, so that any Node can run it. Call this once in a test file. */
export function useWorkers(): void {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'podrun-worker-'));
    program = path.join(folder, 'worker.mjs');
    const entryPoints = [path.join(import.meta.dirname, 'worker.ts')];
    await build({ entryPoints, outfile: program, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
}

/** Starts a process with a job. It is killed at the end of the test. */
export function startWorker(root: string, job: string, argument: string | number = ''): ChildProcess {
  const worker = fork(program, [root, job, String(argument)], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  onTestFinished(() => void worker.kill('SIGKILL'));
  return worker;
}

/** A worker whose root is on a disk of one megabyte. */
export function startWorkerOnSmallDisk(root: string, job: string): ChildProcess {
  const mount = 'mount -t tmpfs -o size=1m tmpfs "$2" && exec node "$@"';
  const execArgv = ['--mount', 'sh', '-c', mount, 'sh'];
  const worker = fork(program, [root, job], { execPath: 'unshare', execArgv });
  onTestFinished(() => void worker.kill('SIGKILL'));
  return worker;
}

/** The next message of a worker. */
export async function messageOf<T>(worker: ChildProcess): Promise<T> {
  const [message] = (await once(worker, 'message')) as [T];
  return message;
}

export async function exitOf(worker: ChildProcess): Promise<number | string | null> {
  const [code, signal] = (await once(worker, 'exit')) as [number | null, string | null];
  return code ?? signal;
}

/** Kills a worker with SIGKILL, and waits for its end. */
export async function killHard(worker: ChildProcess): Promise<void> {
  const gone = exitOf(worker);
  worker.kill('SIGKILL');
  await gone;
}
