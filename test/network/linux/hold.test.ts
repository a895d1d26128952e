import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { HOLD, networkMark } from '../../../src/network/linux/mark.ts';
import { needs } from '../../needs.ts';
import { PATIENT } from '../../patience.ts';

it('a network that outlives podrun ends when its state folder is gone', needs('program setpriv'), async () => {
  const state = mkdtempSync(path.join(tmpdir(), 'podrun-held-for-'));
  const other = mkdtempSync(path.join(tmpdir(), 'podrun-holds-'));
  const slept = path.join(other, 'slept');
  // Half a minute is over in no time.
  const sleep = path.join(other, 'sleep');
  writeFileSync(sleep, `#!/bin/sh\necho "$1" >>${slept}\nexec sleep 0.01\n`, { mode: 0o755 });
  const env = { PATH: process.env['PATH'], SLEEP: sleep, SETPRIV: 'setpriv', ...networkMark(state) };
  const holder = spawn('sh', ['-c', HOLD], { env, stdio: 'ignore' });
  const ended = once(holder, 'exit');
  await vi.waitFor(() => expect(existsSync(slept)).toBe(true), PATIENT);
  expect(holder.exitCode).toBe(null);
  rmSync(state, { recursive: true });
  expect(await ended).toEqual([0, null]);
  rmSync(other, { recursive: true });
});
