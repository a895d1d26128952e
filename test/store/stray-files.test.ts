import { existsSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { StoreGarbage } from '../../src/store/garbage.ts';
import { newPod } from './objects.ts';
import { openStore, realProcesses, temporaryFolder } from './temporary-store.ts';
import { killHard, messageOf, startWorker, useWorkers } from './workers.ts';

useWorkers();

const NOBODY = 4_000_000;
const BOOT = realProcesses.bootId().replaceAll('-', '');

function put(root: string, file: string, text = ''): string {
  const place = path.join(root, file);
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, text);
  return place;
}

function lock(root: string, name: string, pid: number, startTime: string): string {
  const place = path.join(root, '.locks/pods/default', name);
  mkdirSync(path.dirname(place), { recursive: true });
  symlinkSync(`${pid}|${startTime}|${BOOT}|1`, place);
  return place;
}

const isThere = (file: string): boolean => existsSync(path.dirname(file)) && existsSync(file);

/** A Pod whose owner was killed. */
async function lostPod(root: string): Promise<StoredPod> {
  const worker = startWorker(root, 'churn');
  await messageOf(worker);
  await killHard(worker);
  return openStore(root).get<StoredPod>('pods', 'default', 'web')!;
}

describe('StoreGarbage.sweep()', () => {
  it('removes what killed processes were writing, and leaves alone what living ones write', () => {
    const root = temporaryFolder();
    openStore(root).create('pods', newPod('web'));
    const dead = ['pods/default/web', 'configmaps/default', '.agents/one', 'history/default/web/old'];
    const gone = dead.map((folder) => put(root, `${folder}/.tmp-${NOBODY}-3`));
    const kept = [
      put(root, `pods/default/web/.tmp-${process.pid}-3`),
      put(root, `pods/default/web/volumes/data/.tmp-${NOBODY}-3`),
      put(root, `claims/default/data/.tmp-${NOBODY}-3`),
      put(root, 'pods/default/web/.tmp-file'),
    ];
    new StoreGarbage(root, realProcesses).sweep();
    expect(gone.filter(isThere)).toEqual([]);
    expect(kept.filter(isThere)).toEqual(kept);
  });

  it('removes the locks of dead processes, also when another process has the pid', () => {
    const root = temporaryFolder();
    const start = realProcesses.startTimeOf(process.ppid) ?? '';
    const locks = [lock(root, 'dead', NOBODY, '1'), lock(root, 'reused', process.ppid, '1')];
    const held = lock(root, 'held', process.ppid, start);
    new StoreGarbage(root, realProcesses).sweep();
    const there = (file: string): boolean => lstatSync(file, { throwIfNoEntry: false }) !== undefined;
    expect(locks.map(there)).toEqual([false, false]);
    expect(there(held)).toBe(true);
  });

  it('removes the files of a Pod that only exist while an agent runs it', async () => {
    const root = temporaryFolder();
    await lostPod(root);
    const socket = path.join(root, 'pods/default/web/attach.sock');
    const server = await listen(socket);
    new StoreGarbage(root, realProcesses).sweep();
    server.close();
    expect(isThere(socket)).toBe(false);
    expect(openStore(root).get('pods', 'default', 'web')).toBeDefined();
  });

  it('leaves a Pod alone that an agent runs, or that a background agent may take over', async () => {
    const root = temporaryFolder();
    openStore(root).startRun(newPod('web', { phase: 'Running' }));
    openStore(root).create('pods', newPod('detached', { phase: 'Running' }));
    const owner = { pid: NOBODY, startTime: '1', bootId: BOOT, since: '2026-01-01T00:00:00Z', agent: 'one' };
    put(root, 'pods/default/detached/owner.json', JSON.stringify(owner));
    const sockets = ['web', 'detached'].map((name) => path.join(root, 'pods/default', name, 'attach.sock'));
    const servers = await Promise.all(sockets.map(listen));
    new StoreGarbage(root, realProcesses).sweep();
    expect(sockets.filter(isThere)).toEqual(sockets);
    for (const server of servers) server.close();
  });
});

function listen(file: string): Promise<Server> {
  const server = createServer();
  return new Promise((resolve) => {
    server.listen(file, () => resolve(server));
  });
}
