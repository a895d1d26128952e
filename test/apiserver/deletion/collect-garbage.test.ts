import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Collected, collectGarbage } from '../../../src/apiserver/deletion/collect-garbage.ts';
import type { OwnerReference } from '../../../src/api/generated/types.ts';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { SystemClock } from '../../../src/clock.ts';
import { FileStore } from '../../../src/store/file-store.ts';
import { StoreGarbage } from '../../../src/store/garbage.ts';
import { newEvent, newPod, withPhase } from '../../store/objects.ts';
import { temporaryFolder } from '../../store/temporary-store.ts';

/** The store as a process with this start time sees it. Pods of processes with another one are lost. */
function openAs(startTime: string, root: string): { store: FileStore; garbage: StoreGarbage } {
  const processes = {
    startTimeOf: (pid: number) => (pid === process.pid ? startTime : undefined),
    bootId: () => 'boot',
  };
  return {
    store: new FileStore({ root, clock: new SystemClock(), processes }),
    garbage: new StoreGarbage(root, processes),
  };
}

const JOB: OwnerReference = { apiVersion: 'batch/v1', kind: 'Job', name: 'job', uid: 'job-uid', controller: true };

/** Runs a Pod to its end; its record stays. */
function ran(store: FileStore, name: string, namespace = 'default', ownerReferences: OwnerReference[] = []): void {
  const pod = newPod(name, { namespace });
  const started = store.startRun({ ...pod, metadata: { ...pod.metadata, ownerReferences } });
  if (!started.ok) throw new Error('somebody else runs it');
  store.updateStatus('pods', withPhase(started.pod, 'Succeeded'));
  started.release();
}

async function collect(
  root: string,
  options: { keep?: number; namespace?: string; dryRun?: boolean } = {},
): Promise<string[]> {
  const told: Collected[] = [];
  const { keep = 0, namespace, dryRun = false } = options;
  const clock = new SystemClock();
  await collectGarbage({ ...openAs('now', root), clock, namespace, keep, dryRun, onRemoved: (one) => told.push(one) });
  return told.map(({ type, namespace: place, name }) => `${type} ${place}/${name}`);
}

const podsIn = (root: string): string[] =>
  openAs('now', root)
    .store.list<StoredPod>('pods')
    .map(({ metadata, status }) => `${metadata.name} ${status.phase}`);

describe('collectGarbage()', () => {
  it('keeps the newest Pods that have ended, and Pods that an agent runs', async () => {
    const root = temporaryFolder();
    const { store } = openAs('now', root);
    for (const name of ['a', 'b', 'c']) ran(store, name);
    ran(store, 'elsewhere', 'other');
    store.startRun(newPod('live', { phase: 'Running' }));
    const owned = store.startRun(newPod('shown'));
    if (owned.ok) store.updateStatus('pods', withPhase(owned.pod, 'Failed'));
    expect(await collect(root, { keep: 1, namespace: 'default' })).toEqual(['pod default/a', 'pod default/b']);
    expect(podsIn(root)).toEqual(['c Succeeded', 'live Running', 'shown Failed', 'elsewhere Succeeded']);
  });

  it('closes Pods of killed podruns, which then count as ended', async () => {
    const root = temporaryFolder();
    openAs('before', root).store.startRun(newPod('orphan', { phase: 'Running' }));
    expect(await collect(root, { dryRun: true })).toEqual(['lost default/orphan', 'pod default/orphan']);
    expect(podsIn(root)).toEqual(['orphan Unknown']);
    expect(await collect(root, { keep: 1 })).toEqual(['lost default/orphan']);
    expect(podsIn(root)).toEqual(['orphan Failed']);
    expect(await collect(root)).toEqual(['pod default/orphan']);
  });

  it('removes earlier runs: all of a Pod that is gone, all but the newest of an existing one', async () => {
    const root = temporaryFolder();
    const { store } = openAs('now', root);
    for (let run = 0; run < 4; run++) ran(store, 'web');
    for (let run = 0; run < 2; run++) ran(store, 'gone');
    store.delete('pods', 'default', 'gone');
    expect(await collect(root, { keep: 2 })).toEqual(['run default/gone', 'run default/web']);
    expect(await collect(root, { keep: 2 })).toEqual([]);
    expect(await collect(root)).toEqual(['pod default/web', 'run default/web', 'run default/web']);
    expect(existsSync(path.join(root, 'history/default/web'))).toBe(false);
  });

  it('removes Pods of workloads with their runs, and tells of each once', async () => {
    const root = temporaryFolder();
    const { store } = openAs('now', root);
    for (const name of ['job-a', 'job-b']) ran(store, name, 'default', [JOB]);
    store.delete('pods', 'default', 'job-a');
    expect(await collect(root)).toEqual(['pod default/job-b', 'run default/job-a']);
    expect(readdirSync(path.join(root, 'history/default'))).toEqual([]);
  });

  it('removes only events about objects that are gone', async () => {
    const root = temporaryFolder();
    const { store } = openAs('now', root);
    ran(store, 'web');
    store.create('events', newEvent('web.1', 'web', 'one'));
    store.create('events', newEvent('gone.1', 'gone', 'late'));
    for (const kind of ['Deployment', 'Node']) {
      const about = { kind, apiVersion: kind === 'Node' ? 'v1' : 'apps/v1', name: 'gone' };
      store.create('events', { ...newEvent(`${kind}.1`, 'gone', 'late'), involvedObject: about });
    }
    expect(await collect(root, { keep: 1 })).toEqual(['event default/Deployment.1', 'event default/gone.1']);
    expect(store.list('events').map(({ metadata }) => metadata.name)).toEqual(['Node.1', 'web.1']);
  });

  it('removes the volumes of claims that are gone, unless a Pod that runs uses them', async () => {
    const root = temporaryFolder();
    const { store } = openAs('now', root);
    for (const name of ['kept', 'used', 'loose']) {
      mkdirSync(path.join(root, 'claims/default', name), { recursive: true });
      writeFileSync(path.join(root, 'claims/default', name, 'file'), '');
    }
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'kept' } };
    store.create('persistentvolumeclaims', claim);
    const user = newPod('user', { phase: 'Running' });
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'used' } }];
    const running: StoredPod = { ...user, spec: { ...user.spec, volumes } };
    store.startRun(running);
    expect(await collect(root)).toEqual(['volume default/loose']);
    expect(existsSync(path.join(root, 'claims/default/loose'))).toBe(false);
    expect(existsSync(path.join(root, 'claims/default/used/file'))).toBe(true);
  });

  it('sweeps out what killed processes were taking away', async () => {
    const root = temporaryFolder();
    const left = path.join(root, '.staging/.tmp-999999-1');
    mkdirSync(left, { recursive: true });
    await collect(root, { dryRun: true });
    expect(existsSync(left)).toBe(true);
    await collect(root);
    expect(existsSync(left)).toBe(false);
  });

  it('finds nothing in a store that does not exist', async () => {
    const root = path.join(temporaryFolder(), 'none');
    expect(await collect(root)).toEqual([]);
    expect(existsSync(root)).toBe(false);
  });
});
