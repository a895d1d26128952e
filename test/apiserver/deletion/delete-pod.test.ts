import { describe, expect, it, vi } from 'vitest';
import { deletePod, type DeletionOutcome } from '../../../src/apiserver/deletion/delete-pod.ts';
import { remainingContainers } from '../../../src/apiserver/deletion/leftovers.ts';
import { PodrunError } from '../../../src/api/base/errors.ts';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { SystemClock } from '../../../src/clock.ts';
import type { FileStore } from '../../../src/store/file-store.ts';
import type { Owner } from '../../../src/store/owners/ownership.ts';
import { newPod, withPhase } from '../../store/objects.ts';
import { openStore, temporaryFolder } from '../../store/temporary-store.ts';

const running = (id: string) => ({
  name: id,
  ready: true,
  restartCount: 0,
  image: '',
  imageID: '',
  containerID: `podrun://uid/${id}/0`,
});

/** A Pod `web` on a node. */
function placed(phase = 'Running'): StoredPod {
  const pod = newPod('web', { phase });
  return { ...pod, spec: { ...pod.spec, nodeName: 'node-1' } };
}

function remove(store: FileStore, graceSeconds?: number): Promise<DeletionOutcome> {
  return deletePod({ store, clock: new SystemClock(), namespace: 'default', name: 'web', graceSeconds });
}

describe('remainingContainers()', () => {
  const pod = {
    ...placed('Unknown'),
    status: { phase: 'Unknown' as const, containerStatuses: [running('a'), running('b')] },
  };
  const main = { id: 'uid/b/0', pid: 7, startTime: '42' };

  it('come from the status, with the processes that are on record', () => {
    expect(remainingContainers(pod, [main])).toEqual([
      { id: 'uid/a/0', main: undefined },
      { id: 'uid/b/0', main },
    ]);
  });

  it('of a Pod that has ended are those on record alone', () => {
    expect(remainingContainers(withPhase(pod, 'Failed'), [])).toEqual([]);
    expect(remainingContainers(withPhase(pod, 'Failed'), [main])).toEqual([{ id: 'uid/b/0', main }]);
  });
});

describe('deletePod()', () => {
  it('pauses while another process takes the Pod and gives it up: timers run', async () => {
    const store = openStore(temporaryFolder());
    store.create('pods', placed());
    const claim = store.owners.claim.bind(store.owners);
    let [tries, isTaken] = [0, true];
    vi.spyOn(store.owners, 'claim').mockImplementation((...key) => {
      tries += 1;
      if (tries > 1000) throw new PodrunError('Unreachable', 'no pause');
      return isTaken ? { ok: false, owner: {} as Owner } : claim(...key);
    });
    setTimeout(() => (isTaken = false), 30);
    expect(await remove(store)).toBe('removed');
    expect(tries).toBeGreaterThan(1);
  });

  it('notifies the agent of the Pod, once', async () => {
    const store = openStore(temporaryFolder());
    expect(await remove(store)).toBe('missing');
    store.startRun(placed());
    expect([await remove(store), await remove(store)]).toEqual(['ending', 'ending']);
    expect(store.get('pods', 'default', 'web')?.metadata).toMatchObject({
      generation: 2,
      deletionGracePeriodSeconds: 30,
    });
    expect(await remove(store, 0)).toBe('removed');
    expect(store.get('pods', 'default', 'web')).toBeUndefined();
  });

  it.each([
    { name: 'has ended', begin: (store: FileStore) => store.startRun(placed('Succeeded')) },
    { name: 'has no node', begin: (store: FileStore) => store.startRun(newPod('web')) },
    { name: 'no podrun runs', begin: (store: FileStore) => store.create('pods', placed()) },
  ])('removes a Pod that $name', async ({ begin }) => {
    const store = openStore(temporaryFolder());
    begin(store);
    const seen: unknown[] = [];
    store.watch<StoredPod>('pods', {}, ({ type, object }) => {
      seen.push([type, object.metadata.deletionGracePeriodSeconds, object.metadata.generation]);
    });
    expect(await remove(store)).toBe('removed');
    expect(store.list('pods')).toEqual([]);
    expect(seen).toEqual([
      ['MODIFIED', 0, 2],
      ['DELETED', 0, 2],
    ]);
  });

  it('removes a Pod also when nothing can be written', async () => {
    const isFull = (): never => {
      throw new PodrunError('Disk', 'no space left on device');
    };
    const store = openStore(temporaryFolder());
    store.create('pods', placed('Succeeded'));
    const full = new Proxy(store, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property, target);
        if (property === 'update') return isFull;
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
    expect(await remove(full)).toBe('removed');
  });

  it('is made of the latest version of a Pod that changes all the time', async () => {
    const store = openStore(temporaryFolder());
    const agent = openStore(store.root);
    const started = agent.startRun(placed());
    if (!started.ok) throw new Error('somebody else runs it');
    let writes = 0;
    // A store in which a status is written between reading the Pod and changing it.
    const busy = new Proxy(store, {
      get: (target, property) => {
        const value: unknown = Reflect.get(target, property, target);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]): unknown => {
          if (property === 'update' && writes++ < 3) agent.updateStatus('pods', withPhase(started.pod, 'Running'));
          return value.apply(target, args) as unknown;
        };
      },
    });
    expect(await remove(busy)).toBe('ending');
    expect(writes).toBe(4);
    expect(store.get('pods', 'default', 'web')?.metadata.deletionTimestamp).toBeDefined();
  });
});
