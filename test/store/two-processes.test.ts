import { lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { PodStatus } from '../../src/api/generated/types.ts';
import type { KubeObject, StoredPod } from '../../src/api/base/objects.ts';
import { mergeStatus } from '../../src/lifecycle/status/merge-status.ts';
import { StoreGarbage } from '../../src/store/garbage.ts';
import { LogReader } from '../../src/store/logs/log-reader.ts';
import { parseTransition, transitionLines } from '../../src/store/disk/transition-log.ts';
import { needs } from '../needs.ts';
import { inShort, newPod } from './objects.ts';
import { openStore, realProcesses, temporaryFolder } from './temporary-store.ts';
import { exitOf, killHard, messageOf, startWorker, useWorkers } from './workers.ts';
import { PATIENCE_MS, PATIENT } from '../patience.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';

useWorkers();

const BOOT = realProcesses.bootId().replaceAll('-', '');
const GONE = `4000000|1|${BOOT}|`;

function newCounter(root: string): void {
  const metadata = { name: 'counter', namespace: 'default' };
  openStore(root).create('configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { n: '0' } });
}

const counterIn = (root: string): string | undefined =>
  openStore(root).get<KubeObject & { data: { n: string } }>('configmaps', 'default', 'counter')?.data.n;

/** The locks, and the links that name processes, but for the link of this one. */
function locksIn(root: string): string[] {
  return readdirSync(path.join(root, '.locks'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isSymbolicLink() && !entry.name.startsWith(`${process.pid}%7C`))
    .map(({ name }) => name);
}

function leaveLock(root: string, lock: string, holder: string): void {
  const file = path.join(root, '.locks', lock);
  mkdirSync(path.dirname(file), { recursive: true });
  symlinkSync(holder, file);
}

describe('several writers', () => {
  it('lose no change, and leave nothing when they end', async () => {
    const root = temporaryFolder();
    newCounter(root);
    const workers = [1, 2, 3].map(() => startWorker(root, 'count', 200));
    expect(await Promise.all(workers.map(exitOf))).toEqual([0, 0, 0]);
    expect(counterIn(root)).toBe('600');
    expect(locksIn(root)).toEqual([]);
  });

  it('keep their own conditions, and the agent its own, in one status', async () => {
    const root = temporaryFolder();
    const store = openStore(root);
    store.create('pods', newPod('web'));
    const clients = [1, 2].map(() => startWorker(root, 'countInCondition', 100));
    const over = Promise.all(clients.map(exitOf));
    const living = new Set(clients);
    for (const client of clients) client.once('exit', () => living.delete(client));
    let round = 0;
    do {
      const own: PodStatus = {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'False', message: `${++round}` }],
      };
      store.change<StoredPod>('pods', { namespace: 'default', name: 'web' }, 'status', (stored) => {
        return { ...stored, status: mergeStatus(stored.status, own) };
      });
      await new Promise(setImmediate);
    } while (living.size > 0);
    expect(await over).toEqual([0, 0]);
    expect(store.get<StoredPod>('pods', 'default', 'web')?.status).toEqual({
      phase: 'Running',
      conditions: [
        { type: 'count', status: 'True', message: '200' },
        { type: 'Ready', status: 'False', message: String(round) },
      ],
    });
  });

  it('are not stopped by a lock of a process that is gone, nor by one that went while removing it', async () => {
    const root = temporaryFolder();
    newCounter(root);
    leaveLock(root, 'configmaps/default/counter', `${GONE}1`);
    leaveLock(root, `.broken/${encodeURIComponent(`${GONE}1`)}`, `${GONE}2`);
    const workers = [1, 2, 3].map(() => startWorker(root, 'count', 50));
    expect(await Promise.all(workers.map(exitOf))).toEqual([0, 0, 0]);
    expect(counterIn(root)).toBe('150');
  });

  it('are not stopped by a sweep', async () => {
    const root = temporaryFolder();
    newCounter(root);
    const worker = startWorker(root, 'count', 300);
    const over = exitOf(worker);
    const living = new Set([worker]);
    void over.then(() => living.clear());
    while (living.size > 0) {
      new StoreGarbage(root, realProcesses).sweep();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(await over).toBe(0);
    expect(counterIn(root)).toBe('300');
  });

  it('are not stopped by locks of a killed process, and a sweep removes these locks', async () => {
    const root = temporaryFolder();
    const worker = startWorker(root, 'churn');
    await messageOf(worker);
    await killHard(worker);
    const store = openStore(root);
    const pod = store.get<StoredPod>('pods', 'default', 'web')!;
    store.update('pods', { ...pod, metadata: { ...pod.metadata, labels: { a: 'b' } } });
    new StoreGarbage(root, realProcesses).sweep();
    expect(locksIn(root)).toEqual([]);
  });

  it('make no new file for each lock when they take many', needs('Linux'), () => {
    const root = temporaryFolder();
    newCounter(root);
    const inodeOf = (lock: string): number => lstatSync(path.join(root, '.locks', lock)).ino;
    const inodes: number[] = [];
    const store = openStore(root);
    for (let round = 0; round < 60; round++)
      store.change('configmaps', { namespace: 'default', name: 'counter' }, 'object', (stored) => {
        inodes.push(inodeOf('configmaps/default/counter'));
        return { ...stored, metadata: { ...stored.metadata, labels: { round: String(round) } } };
      });
    const [own = ''] = readdirSync(path.join(root, '.locks/.own'));
    expect(new Set(inodes.slice(-9))).toEqual(new Set([inodeOf(`.own/${own}`)]));
    expect(decodeURIComponent(own)).toBe(readlinkSync(path.join(root, '.locks/.own', own)));
  });

  it('are not stopped by a lock that was taken before the machine was started again', () => {
    const root = temporaryFolder();
    leaveLock(root, 'pods/default/web', `${process.pid}|${realProcesses.startTimeOf(process.pid)}|earlier-boot|1`);
    expect(openStore(root).create('pods', newPod('web')).metadata.name).toBe('web');
  });

  it('respect a lock with a living holder, and name the holder when it takes too long', () => {
    const root = temporaryFolder();
    const holder = `${process.ppid}|${realProcesses.startTimeOf(process.ppid)}|${BOOT}|1`;
    leaveLock(root, 'pods/default/web', holder);
    const pause = vi.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
    try {
      expect(() => openStore(root).create('pods', newPod('web'))).toThrow(
        `pods "web" is locked by process ${process.ppid}`,
      );
      expect(readlinkSync(path.join(root, '.locks/pods/default/web'))).toBe(holder);
    } finally {
      pause.mockRestore();
    }
  });
});

describe('several processes that want one Pod', () => {
  it.each([
    { job: 'claim', how: 'at once' },
    { job: 'start', how: 'for a new run' },
  ])('$how: exactly one gets it', async ({ job }) => {
    const root = temporaryFolder();
    if (job === 'claim') openStore(root).create('pods', newPod('web'));
    const workers = [1, 2, 3].map(() => startWorker(root, job));
    const answers = await Promise.all(workers.map((worker) => messageOf<{ claimed: boolean }>(worker)));
    expect(answers.filter(({ claimed }) => claimed)).toHaveLength(1);
    const owner = openStore(root).owners.of('default', 'web');
    expect(owner?.pid).toBe(workers[answers.findIndex(({ claimed }) => claimed)]?.pid);
  });
});

describe('a process that is killed while it writes', () => {
  it('leaves a complete state and a log whose complete lines lead to it', async () => {
    for (const patienceMs of [1, 3, 7, 13, 29]) {
      const root = temporaryFolder();
      const worker = startWorker(root, 'churn');
      await messageOf(worker);
      await new Promise((resolve) => setTimeout(resolve, patienceMs));
      await killHard(worker);
      const store = openStore(root);
      const pod = store.get<StoredPod>('pods', 'default', 'web')!;
      expect(pod.status.phase).toBe('Unknown');
      const changed = store.update('pods', { ...pod, metadata: { ...pod.metadata, labels: { a: 'b' } } });
      const lines = [...transitionLines(store.paths('default', 'web').transitions)].map(parseTransition);
      expect(lines.at(-1)?.object).toEqual(changed);
      expect(lines.filter((line) => line === undefined).length).toBeLessThanOrEqual(1);
      expect(store.startRun(newPod('web')).ok).toBe(true);
    }
  });
});

describe('a reader in another process', () => {
  it('finds the Events of a Pod once each, before and after the Pod is deleted', async () => {
    const root = temporaryFolder();
    const store = openStore(root);
    const worker = startWorker(root, 'leaveEvents', 300);
    const over = exitOf(worker);
    await messageOf(worker);
    let known = new Set<string | undefined>();
    while (worker.connected) {
      const names = store.list('events').map(({ metadata }) => metadata.name);
      const now = new Set(names);
      expect(names).toHaveLength(now.size);
      expect([...known].filter((name) => !now.has(name))).toEqual([]);
      known = now;
      await new Promise(setImmediate);
    }
    expect(await over).toBe(0);
    expect(store.list('events')).toHaveLength(300);
  });
});

describe('a watcher in another process', () => {
  it('sees everything once and in order, as soon as it happens', async () => {
    const root = temporaryFolder();
    // The clock stands still: the store never looks for changes by itself.
    const store = openStore(root, new ManualClock());
    const told: string[] = [];
    for (const resource of ['pods', 'events']) store.watch(resource, {}, (event) => told.push(inShort(event)));
    const worker = startWorker(root, 'live');
    await messageOf(worker);
    for (const name of ['a', 'b', 'a', 'a', 'b', 'c']) {
      const did = messageOf<{ done: string[] }>(worker);
      worker.send(name);
      const { done } = await did;
      await vi.waitFor(() => expect(told).toEqual(done), { timeout: PATIENCE_MS, interval: 1 });
      told.length = 0;
    }
  });

  it('sees the whole life of each of many Pods', async () => {
    const root = temporaryFolder();
    const store = openStore(root);
    const told: string[] = [];
    for (const resource of ['pods', 'events']) store.watch(resource, {}, (event) => told.push(inShort(event)));
    const { done } = await messageOf<{ done: string[] }>(startWorker(root, 'burst', 40));
    const lifeOf = (lines: string[], name: string): string[] =>
      lines.filter((line) => line.includes(`/${name} `) || line.includes(`/${name}.`));
    for (let n = 0; n < 40; n++) {
      const life = lifeOf(done, `pod-${n}`);
      await vi.waitFor(() => expect(lifeOf(told, `pod-${n}`)).toEqual(life), { timeout: PATIENCE_MS, interval: 5 });
    }
    expect(told).toHaveLength(done.length);
  });

  it('finds every reported object: the state is never older than the line', async () => {
    const root = temporaryFolder();
    const store = openStore(root);
    let told = 0;
    const behind: string[] = [];
    store.watch<StoredPod>('pods', {}, ({ type, object }) => {
      const { namespace, name, uid, resourceVersion } = object.metadata;
      const found = store.get<StoredPod>('pods', namespace, name);
      told += 1;
      if (found?.metadata.uid !== uid) return;
      const isBehind = Number(found.metadata.resourceVersion) < Number(resourceVersion);
      if (type === 'DELETED' || isBehind) behind.push(name);
    });
    await messageOf(startWorker(root, 'burst', 60));
    await vi.waitFor(() => expect(told).toBe(60 * 10), { timeout: PATIENCE_MS, interval: 5 });
    expect(behind).toEqual([]);
  });

  it('gets the deletion of every Pod that it has found, whenever it began to watch', async () => {
    const root = temporaryFolder();
    const store = openStore(root);
    store.watch('pods', {}, () => undefined);
    const worker = startWorker(root, 'comeAndGo', 600);
    const gone = exitOf(worker);
    const living = new Set([worker]);
    void gone.then(() => living.clear());
    await messageOf(worker);
    const waiting = new Set<string>();
    let found = 0;
    while (living.size > 0) {
      let uid: string | undefined;
      const subscription = store.watch<StoredPod>('pods', { namespace: 'default', name: 'web' }, ({ type, object }) => {
        if (uid === undefined || (type !== 'DELETED' && object.metadata.uid === uid)) return;
        waiting.delete(uid);
        subscription.close();
      });
      uid = store.list<StoredPod>('pods')[0]?.metadata.uid;
      if (uid === undefined) subscription.close();
      else {
        found += 1;
        waiting.add(uid);
      }
      await new Promise(setImmediate);
    }
    await vi.waitFor(() => expect([...waiting]).toEqual([]), PATIENT);
    expect(found).toBeGreaterThan(0);
  });

  it('gets phase Unknown when the owner of a Pod is killed', async () => {
    const root = temporaryFolder();
    const worker = startWorker(root, 'start');
    await messageOf(worker);
    const phases: Array<string | undefined> = [];
    openStore(root).watch<StoredPod>('pods', {}, ({ object }) => phases.push(object.status.phase), { replay: true });
    await killHard(worker);
    await vi.waitFor(() => expect(phases).toEqual(['Running', 'Unknown']), PATIENT);
  });
});

describe('a reader of a log', () => {
  it('loses no line and sees none twice, however fast another process puts parts aside', async () => {
    const root = temporaryFolder();
    // Each of the 200 parts may lose something. A real log never has more than a few parts.
    const lines = 600;
    const worker = startWorker(root, 'rotate', lines);
    await messageOf(worker);
    const reader = new LogReader(path.join(root, 'logs/main/0.log'));
    const seen: number[] = [];
    await vi.waitFor(
      () => {
        for (let next = reader.next(); next.length > 0; next = reader.next()) {
          seen.push(...next.map(({ content }) => Number(content)));
        }
        expect(seen.length).toBeGreaterThanOrEqual(lines);
      },
      { timeout: PATIENCE_MS, interval: 1 },
    );
    reader.close();
    expect(seen).toEqual(Array.from({ length: lines }, (_, line) => line));
  });
});
