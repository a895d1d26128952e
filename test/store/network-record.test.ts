import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { FileLocks } from '../../src/store/disk/file-lock.ts';
import type { ProcessLookup } from '../../src/store/disk/known-process.ts';
import { NetworkRecord } from '../../src/store/owners/network-record.ts';
import { temporaryFolder } from './temporary-store.ts';

const HOLDER = 17;
const FILES = { net: 20, user: 21 };

it('a cluster whose holder has died is entered through an agent that has it open', () => {
  const root = temporaryFolder();
  const living = new Set([HOLDER, process.pid]);
  const lookup: ProcessLookup = { startTimeOf: (pid) => (living.has(pid) ? '1' : undefined), bootId: () => 'boot' };
  const record = (id: string): NetworkRecord =>
    new NetworkRecord({ root, id, lookup, locks: new FileLocks(root, lookup) });
  for (const id of ['one', 'two']) mkdirSync(path.join(root, '.agents', id), { recursive: true });
  expect(record('one').entrance()).toBeUndefined();
  record('one').claim('holder', HOLDER, { cluster: 'a' });
  record('one').enter(FILES, 'a');
  expect(record('two').entrance()).toMatchObject({ pid: HOLDER, cluster: 'a' });
  living.delete(HOLDER);
  expect(record('two').entrance()).toMatchObject({ pid: process.pid, files: FILES, cluster: 'a' });
  living.delete(process.pid);
  expect(record('two').entrance()).toBeUndefined();
});
