import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { machineTag } from '../../src/machine-id.ts';
import { closeFifo, FifoPool, removeFifos } from '../../src/runtime/pipes/fifo-pool.ts';
import { PipeMaker } from '../../src/runtime/pipes/process-pipes.ts';
import { Watchdog } from '../../src/runtime/watch/watchdog.ts';
import { SystemClock } from '../../src/clock.ts';
import { PATIENT } from '../patience.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-fifos-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

it('removes FIFOs of processes that are gone, and none of a living process', async () => {
  const folder = temporaryFolder();
  const pool = new FifoPool(folder);
  await pool.fill();
  const [living = ''] = readdirSync(folder);
  const { pid: gone } = spawnSync('true');
  mkdirSync(path.join(folder, living.replace(String(process.pid), String(gone))));
  writeFileSync(path.join(folder, 'stray'), '');
  await removeFifos(folder);
  expect(readdirSync(folder)).toEqual([living]);
  await pool.close();
  expect(readdirSync(folder)).toEqual([]);
});

it('removes a folder that the mkfifo of a killed process still fills', async () => {
  const folder = temporaryFolder();
  const { pid: gone } = spawnSync('true');
  const filled = path.join(folder, `${gone}-${machineTag()}-abcdef`);
  mkdirSync(filled);
  const mkfifo = spawn(
    'mkfifo',
    Array.from({ length: 300 }, (_, index) => String(index)),
    { cwd: filled, stdio: 'ignore' },
  );
  const ended = once(mkfifo, 'close');
  await vi.waitUntil(() => readdirSync(filled).length > 0, { ...PATIENT, interval: 1 });
  await Promise.all([removeFifos(folder), ended]);
  expect(readdirSync(folder)).toEqual([]);
});

it('makes FIFOs for all who wait at the same time, and again where they were removed', async () => {
  const folder = temporaryFolder();
  const pool = new FifoPool(folder);
  onTestFinished(() => pool.close());
  const taken = await Promise.all(Array.from({ length: 40 }, () => pool.take(false)));
  const fifos = taken.flatMap(({ stdout, stderr }) => [stdout, stderr]);
  expect(new Set(fifos.map((fifo) => fifo.path)).size).toBe(80);
  for (const fifo of fifos) closeFifo(fifo);
  rmSync(folder, { recursive: true });
  const { stdout, stderr } = await pool.take(false);
  expect(existsSync(stdout.path)).toBe(true);
  for (const fifo of [stdout, stderr]) closeFifo(fifo);
});

it('does without FIFOs while their folder is being removed: a hook of the Pod that ends still runs', async () => {
  const folder = temporaryFolder();
  const pipes = new PipeMaker(new SystemClock(), folder, 'fifo', new Watchdog());
  onTestFinished(() => pipes.close());
  await pipes.prepare();
  const [made = ''] = readdirSync(folder);
  for (const name of readdirSync(path.join(folder, made))) rmSync(path.join(folder, made, name));
  const { stdio } = await pipes.make({});
  expect(stdio).toEqual(['ignore', 'pipe', 'pipe']);
});

it('does without FIFOs when their folder is removed while mkfifo runs', async () => {
  const folder = temporaryFolder();
  const bin = temporaryFolder();
  const { env } = process;
  const formerPath = env['PATH'] ?? '';
  writeFileSync(path.join(bin, 'mkfifo'), `#!/bin/sh\nrm -r "$PWD"\nPATH=${formerPath} exec mkfifo "$@"\n`, {
    mode: 0o755,
  });
  onTestFinished(() => void (env['PATH'] = formerPath));
  env['PATH'] = `${bin}:${formerPath}`;
  const pipes = new PipeMaker(new SystemClock(), folder, 'fifo', new Watchdog());
  onTestFinished(() => pipes.close());
  const { stdio } = await pipes.make({});
  expect(stdio).toEqual(['ignore', 'pipe', 'pipe']);
});
