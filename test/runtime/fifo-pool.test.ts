import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { FifoPool, removeFifos } from '../../src/runtime/pipes/fifo-pool.ts';

it('who tidies up takes nothing from a living process, neither what it holds nor what it is making', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-fifos-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { pid: gone } = spawnSync('true');
  const of = (pid: number): string[] => [`${pid}.abc.0`, `.${pid}-7`];
  for (const name of [...of(process.pid), ...of(gone), 'stray']) writeFileSync(path.join(folder, name), '');
  removeFifos(folder);
  expect(readdirSync(folder).toSorted()).toEqual(of(process.pid).toSorted());
});

it('removes what only a process that was killed knew, and nothing else', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-fifos-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { pid: gone } = spawnSync('true');
  const kept = [`.${gone}-7`, `.${process.pid}-8.own`, 'one', 'two'];
  for (const name of [...kept, `.${gone}-8.own`]) writeFileSync(path.join(folder, name), '');
  await new FifoPool(folder).fill();
  expect(readdirSync(folder).toSorted()).toEqual(kept.toSorted());
});
