import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readCache, writeCache } from '../../src/runtime/linux/detection/cache.ts';

it.each<[string, boolean]>([
  ['unshare: unshare failed: Operation not permitted', true],
  ['/usr/bin/setpriv did not start: too many open files', false],
  ['spawn /usr/bin/setpriv EMFILE', false],
  ['unshare: fork failed: Resource temporarily unavailable', false],
  ['mount: Cannot allocate memory', false],
  ['/usr/bin/sh: 11: Cannot fork', false],
  ["sh: can't fork: Resource temporarily unavailable", false],
])('keeps the result of a trial that ended with "%s": %s', (said, isKept) => {
  const stateDir = mkdtempSync(path.join(tmpdir(), 'podrun-cache-'));
  onTestFinished(() => rmSync(stateDir, { recursive: true, force: true }));
  const detection = { ok: false, why: { type: 'refused', said } };
  writeCache(stateDir, 'cluster', 'key', detection);
  expect(readCache(stateDir, 'cluster', 'key')).toEqual(isKept ? detection : undefined);
});
