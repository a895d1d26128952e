import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { removeFifos } from '../../src/runtime/fifo-pool.ts';

it('who tidies up takes nothing from a living process, neither what it holds nor what it is making', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-fifos-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { pid: gone } = spawnSync('true');
  const of = (pid: number): string[] => [`${pid}.abc.0`, `.${pid}-7`];
  for (const name of [...of(process.pid), ...of(gone), 'stray']) writeFileSync(path.join(folder, name), '');
  removeFifos(folder);
  expect(readdirSync(folder).toSorted()).toEqual(of(process.pid).toSorted());
});
