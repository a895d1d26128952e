import { expect, it, vi } from 'vitest';
import { beginWorkloads, claimControlled } from '../../src/engine/run/begin-workloads.ts';
import type { WorkloadKey } from '../../src/apiserver/live-controller.ts';
import type { StoredKubeObject, StoredPod } from '../../src/api/base/objects.ts';
import { SystemClock } from '../../src/clock.ts';
import { JOB_FINALIZER } from '../../src/controllers/job/job-pods.ts';
import { FileStore } from '../../src/store/file-store.ts';
import { newJob } from '../controllers/manifests.ts';
import { newPod } from '../store/objects.ts';
import { temporaryFolder } from '../store/temporary-store.ts';

const KILLED = new Error('killed');
const WRITES: ReadonlySet<string | symbol> = new Set(['change', 'update', 'updateStatus', 'delete', 'claim']);

/** The store as a later process with the same pid sees it: all earlier owners are gone. */
function openAs(startTime: string, root: string): FileStore {
  const processes = { startTimeOf: () => startTime, bootId: () => 'boot' };
  return new FileStore({ root, clock: new SystemClock(), processes });
}

/** A process that is killed after so many writes. */
function killedAfter(writes: number, store: FileStore): FileStore {
  let left = writes;
  const watched = <T extends object>(part: T): T =>
    new Proxy(part, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (name === 'owners') return watched(store.owners);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]): unknown => {
          if (WRITES.has(name) && left-- <= 0) throw KILLED;
          return member.apply(target, given);
        };
      },
    });
  return watched(store);
}

/** A Job whose agent was killed while a Pod ran. Two have failed and one has succeeded; one failure is counted. */
function leftJob(root: string): WorkloadKey {
  const store = openAs('1', root);
  const { apiVersion, kind, metadata } = store.create<StoredKubeObject>('jobs', newJob() as StoredKubeObject);
  const ownerReferences = [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true }];
  for (const [name, phase, finalizers] of [
    ['running', 'Running', [JOB_FINALIZER]],
    ['failed', 'Failed', [JOB_FINALIZER]],
    ['counted', 'Failed', []],
    ['succeeded', 'Succeeded', [JOB_FINALIZER]],
  ] as const) {
    const pod = newPod(name, { phase });
    const named = { ...pod.metadata, ownerReferences, finalizers: [...finalizers] };
    const placed = { ...pod, metadata: named, spec: { ...pod.spec, nodeName: 'node-1' } };
    const started = store.startNewRun(placed);
    if (phase !== 'Running') started.release();
  }
  return { apiVersion, kind, namespace: 'default', name: metadata.name };
}

it('the next agent removes the Pods that a Job has not counted, also after one that was killed meanwhile', async () => {
  for (let writes = 0, wasKilled = true; wasKilled; writes += 1) {
    const root = temporaryFolder();
    const key = leftJob(root);
    const begin = (store: FileStore) =>
      beginWorkloads(store, new SystemClock(), { workloads: [key] }, { command: 'podrun' });
    wasKilled = await begin(killedAfter(writes, openAs('2', root))).then(
      () => false,
      (error: unknown) => {
        expect(error).toBe(KILLED);
        return true;
      },
    );
    const next = openAs('3', root);
    expect(await begin(next)).toHaveLength(1);
    const left = next.list<StoredPod>('pods').map(({ metadata }) => metadata.name);
    expect(left, `killed after ${writes} writes`).toEqual(['counted', 'succeeded']);
  }
});

it('does not take up an object that another command removes meanwhile', () => {
  const root = temporaryFolder();
  const store = openAs('1', root);
  const { apiVersion, kind, metadata } = store.create<StoredKubeObject>('jobs', newJob() as StoredKubeObject);
  const { namespace, name } = metadata;
  const claim = store.owners.claim.bind(store.owners);
  vi.spyOn(store.owners, 'claim').mockImplementation((...key) => {
    store.delete('jobs', namespace, name);
    return claim(...key);
  });
  expect(claimControlled(store, { apiVersion, kind, namespace, name }, 'podrun', undefined)).toBe(undefined);
});
