import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startInBackground } from '../../src/runtime/helpers/background.ts';
import { PATIENT } from '../patience.ts';

/** The processes that this one waits for: handles that keep it running. */
const awaited = (): number => process.getActiveResourcesInfo().filter((type) => type === 'ProcessWrap').length;

it('a background process that closes its pipe before it ends is waited for', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-background-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const before = awaited();
  const script = 'exec 3>&-; : > closed; until [ -e on ]; do sleep 0.05; done; exit 7';
  const answer = startInBackground({
    argv: ['sh', '-c', script],
    env: { PATH: process.env['PATH'] ?? '' },
    cwd: folder,
    log: path.join(folder, 'log'),
  });
  await vi.waitUntil(() => existsSync(path.join(folder, 'closed')), PATIENT);
  expect(awaited()).toBe(before + 1);
  writeFileSync(path.join(folder, 'on'), '');
  expect(await answer).toEqual({ type: 'ended', exitCode: 7, signal: null });
});
