import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { StoredEvent, StoredPod } from '../../src/api/base/objects.ts';
import type { FileStore } from '../../src/store/file-store.ts';
import { PodLog } from '../../src/store/disk/pod-log.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { inShort, newEvent, newPod, withPhase } from './objects.ts';
import { openStore, temporaryFolder } from './temporary-store.ts';
import { PATIENCE_MS } from '../patience.ts';

/** Two stores in one folder, like two processes. `look` makes the first store look for changes of the second one. */
function twoStores(root: string = temporaryFolder()): { store: FileStore; other: FileStore; look: () => void } {
  // These tests do not wait, so the file system cannot report anything.
  const clock = new ManualClock();
  return { store: openStore(root, clock), other: openStore(root), look: () => clock.advance(2000) };
}

function received(store: FileStore, resource: string, scope = {}, options = {}): string[] {
  const events: string[] = [];
  store.watch(resource, scope, (event) => events.push(inShort(event)), options);
  return events;
}

describe('watch()', () => {
  it.each(['pods', 'configmaps'])('reports changes of %s by this process within the call', (resource) => {
    const { store } = twoStores();
    const events = received(store, resource);
    const object = store.create(resource, { ...newPod('a'), status: { phase: 'Pending' } });
    expect(events).toEqual(['ADDED default/a Pending']);
    store.updateStatus(resource, { ...object, status: { phase: 'Running' } });
    expect(events.at(-1)).toBe('MODIFIED default/a Running');
    store.delete(resource, 'default', 'a');
    expect(events.at(-1)).toBe('DELETED default/a Running');
    expect(events).toHaveLength(3);
  });

  it.each(['pods', 'configmaps'])('sends existing objects first with replay (%s)', (resource) => {
    const { store, other } = twoStores();
    for (const name of ['b', 'a']) other.create(resource, newPod(name));
    const events = received(store, resource, {}, { replay: true });
    expect(events).toEqual(['ADDED default/a Pending', 'ADDED default/b Pending']);
    expect(received(store, resource)).toEqual([]);
  });

  it('reports Events of all processes in the order of the log', () => {
    const { store, other, look } = twoStores();
    store.create('pods', newPod('web'));
    const events = received(store, 'events');
    other.create('events', newEvent('web.1', 'web', 'theirs'));
    store.create('events', newEvent('web.2', 'web', 'ours'));
    other.create('events', newEvent('web.3', 'web', 'theirs again'));
    other.create('events', newEvent('other.4', 'no-pod', 'about nothing'));
    look();
    expect(events).toEqual([
      'ADDED default/web.1 theirs',
      'ADDED default/web.2 ours',
      'ADDED default/web.3 theirs again',
      'ADDED default/other.4 about nothing',
    ]);
  });

  it('reports only changes in its scope', () => {
    const { store, other, look } = twoStores();
    const inNamespace = received(store, 'pods', { namespace: 'n' });
    const one = received(store, 'pods', { namespace: 'n', name: 'a' });
    for (const namespace of ['m', 'n']) {
      for (const name of ['a', 'b']) other.create('pods', newPod(name, { namespace }));
    }
    look();
    expect(inNamespace).toEqual(['ADDED n/a Pending', 'ADDED n/b Pending']);
    expect(one).toEqual(['ADDED n/a Pending']);
  });

  it('reports a change of a watcher before its call returns, to all in the same order', () => {
    const { store } = twoStores();
    const first: string[] = [];
    const second: string[] = [];
    store.watch<StoredPod>('pods', {}, (event) => {
      first.push(inShort(event));
      if (event.object.status.phase !== 'Pending') return;
      store.updateStatus('pods', withPhase(event.object, 'Running'));
      expect(first.at(-1)).toBe('MODIFIED default/a Running');
    });
    store.watch('pods', {}, (event) => second.push(inShort(event)));
    store.create('pods', newPod('a'));
    expect(first).toEqual(['ADDED default/a Pending', 'MODIFIED default/a Running']);
    expect(second).toEqual(first);
  });

  it('reports a new run as a deletion and an addition', () => {
    const { store, other, look } = twoStores();
    const old = other.create('pods', newPod('a', { phase: 'Running' }));
    const events = received(store, 'pods');
    other.updateStatus('pods', withPhase(old, 'Succeeded'));
    other.startRun(newPod('a'));
    look();
    expect(events).toEqual(['MODIFIED default/a Succeeded', 'DELETED default/a Succeeded', 'ADDED default/a Pending']);
  });

  it('reports the deletion of a Pod whose folder was removed by hand', () => {
    const { store, look } = twoStores();
    store.create('pods', newPod('a', { phase: 'Running' }));
    const events = received(store, 'pods', {}, { replay: true });
    rmSync(store.paths('default', 'a').folder, { recursive: true });
    look();
    expect(events).toEqual(['ADDED default/a Running', 'DELETED default/a Running']);
  });

  describe.each(['list', 'replay'])(
    'when the last line of a Pod was written, and its folder is still there (%s)',
    (how) => {
      const options = { replay: how === 'replay' };
      const replayed = options.replay ? ['ADDED default/a Pending'] : [];
      const goingPod = () => {
        const { store, other, look } = twoStores();
        const pod = other.create('pods', newPod('a'));
        const { folder, transitions } = store.paths('default', 'a');
        const resourceVersion = String(Number(pod.metadata.resourceVersion) + 1);
        const deleted = { ...pod, metadata: { ...pod.metadata, resourceVersion } };
        const writeLastLine = (): void => {
          const log = PodLog.open(transitions);
          log?.append([['DELETED', deleted]], 0);
          log?.close();
        };
        const go = (): void => {
          expect(store.list('pods')).toHaveLength(1);
          renameSync(folder, path.join(store.root, 'away'));
          look();
          look();
        };
        return { store, writeLastLine, go };
      };

      it('reports the deletion to the first subscriber', () => {
        const { store, writeLastLine, go } = goingPod();
        writeLastLine();
        const events = received(store, 'pods', {}, options);
        go();
        expect(events).toEqual([...replayed, 'DELETED default/a Pending']);
      });

      it('reports the deletion to a late subscriber, and to none twice', () => {
        const { store, writeLastLine, go } = goingPod();
        const first = received(store, 'pods');
        writeLastLine();
        const events = received(store, 'pods', { namespace: 'default', name: 'a' }, options);
        expect(first).toEqual([]);
        go();
        expect(events).toEqual([...replayed, 'DELETED default/a Pending']);
        expect(first).toEqual(['DELETED default/a Pending']);
      });
    },
  );

  it.each(['pods', 'configmaps'])(
    'loses nothing for present subscribers, and invents nothing, when one more comes (%s)',
    (resource) => {
      const { store, other, look } = twoStores();
      other.create(resource, newPod('old'));
      const first = received(store, resource);
      other.create(resource, newPod('new'));
      other.delete(resource, 'default', 'old');
      const second = received(store, resource);
      look();
      expect(first.toSorted()).toEqual(['ADDED default/new Pending', 'DELETED default/old Pending']);
      expect(second).toEqual([]);
    },
  );

  it.each(['get', 'list'] as const)(
    'tells of the end of a Pod that came and went meanwhile, and was read (%s)',
    (how) => {
      const { store, other, look } = twoStores();
      const events = received(store, 'pods', { namespace: 'default', name: 'a' });
      other.create('pods', newPod('a'));
      const found = how === 'get' ? store.get('pods', 'default', 'a') : store.list('pods')[0];
      expect(found).toBeDefined();
      other.delete('pods', 'default', 'a');
      look();
      expect(events).toEqual(['ADDED default/a Pending', 'DELETED default/a Pending']);
    },
  );

  it.each(['pods', 'configmaps'])('continues when folders are removed and made again (%s)', async (resource) => {
    const { store, other, look } = twoStores();
    other.create(resource, newPod('first'));
    const events = received(store, resource);
    rmSync(store.root, { recursive: true });
    other.create(resource, newPod('a'));
    look();
    other.create(resource, newPod('b'));
    const expected = ['DELETED default/first Pending', 'ADDED default/a Pending', 'ADDED default/b Pending'];
    // Only the file system can report this: the clock stands still, and no look happens.
    await vi.waitFor(() => expect(events.toSorted()).toEqual(expected.toSorted()), {
      timeout: PATIENCE_MS,
      interval: 5,
    });
  });

  it('reports nothing after it was closed, and leaves no alarm set', () => {
    const clock = new ManualClock();
    const store = openStore(temporaryFolder(), clock);
    const events: string[] = [];
    const subscriptions = ['pods', 'events', 'configmaps'].map((resource) =>
      store.watch(resource, {}, (event) => events.push(inShort(event))),
    );
    expect(clock.alarmCount).toBe(1);
    for (const subscription of subscriptions) subscription.close();
    for (const resource of ['pods', 'configmaps']) store.create(resource, newPod('a'));
    expect(events).toEqual([]);
    expect(clock.alarmCount).toBe(0);
  });
});

/** The expected state of a Pod: a model of the store in a few lines. */
interface Model {
  phase: string | undefined;
  hasOwner: boolean;
  hasEvent: boolean;
}

/** The steps of clients and agents, and the lines that they cause. */
const STEPS: Record<string, { act: (store: FileStore, name: string) => void; lines: (pod: Model) => string[] }> = {
  create: {
    act: (store, name) => void store.create('pods', newPod(name)),
    lines: (pod) => {
      if (pod.phase !== undefined) return [];
      Object.assign(pod, { phase: 'Pending', hasOwner: false, hasEvent: false });
      return ['ADDED POD Pending'];
    },
  },
  run: {
    act: (store, name) => void store.updateStatus('pods', withPhase(newPod(name), 'Running')),
    lines: (pod) => setPhase(pod, 'Running'),
  },
  finish: {
    act: (store, name) => void store.updateStatus('pods', withPhase(newPod(name), 'Succeeded')),
    lines: (pod) => setPhase(pod, 'Succeeded'),
  },
  label: {
    act: (store, name) => void store.update('pods', { ...newPod(name), metadata: { name, labels: { a: 'b' } } }),
    lines: (pod) => setPhase(pod, pod.phase),
  },
  event: {
    act: (store, name) => void (store.get('pods', 'default', name) && store.create('events', newEvent('E', name, '1'))),
    lines: (pod) => {
      if (pod.phase === undefined || pod.hasEvent) return [];
      pod.hasEvent = true;
      return ['ADDED default/E 1'];
    },
  },
  count: {
    act: (store, name) => void store.update('events', newEvent('E', name, '2')),
    lines: (pod) => (pod.hasEvent ? ['MODIFIED default/E 2'] : []),
  },
  replace: {
    act: (store, name) => void store.startRun(newPod(name)),
    lines: (pod) => {
      if (pod.hasOwner && pod.phase !== 'Succeeded') return [];
      const end = pod.phase === undefined ? [] : [`DELETED POD ${pod.phase}`];
      Object.assign(pod, { phase: 'Pending', hasOwner: true, hasEvent: false });
      return [...end, 'ADDED POD Pending'];
    },
  },
  delete: {
    act: (store, name) => void store.delete('pods', 'default', name),
    lines: (pod) => {
      const end = pod.phase === undefined ? [] : [`DELETED POD ${pod.phase}`];
      Object.assign(pod, { phase: undefined, hasOwner: false, hasEvent: false });
      return end;
    },
  },
};

function setPhase(pod: Model, phase: string | undefined): string[] {
  if (pod.phase === undefined) return [];
  pod.phase = phase;
  return [`MODIFIED POD ${phase}`];
}

/** Runs a step, and returns the lines that it should cause. Refusals (`already exists`) are expected. */
function attempt(step: string, store: FileStore, name: string, pod: Model): string[] {
  try {
    STEPS[step]?.act(store, name);
  } catch (error) {
    if (!/not found|already exists/.test(String(error))) throw error;
  }
  return STEPS[step]?.lines(pod).map((line) => line.replace('POD', `default/${name}`)) ?? [];
}

/** Steps of two processes. `looks` tells whether the watching process looks right after the step. */
const stepsOf = (kinds: string[]): fc.Arbitrary<Array<{ step: string; name: string; mine: boolean; looks: boolean }>> =>
  fc.array(
    fc.record({
      step: fc.constantFrom(...kinds),
      name: fc.constantFrom('a', 'b'),
      mine: fc.boolean(),
      looks: fc.boolean(),
    }),
    { maxLength: 30 },
  );

describe('whatever clients and agents do', () => {
  it('a watcher sees each of it once and in order', () => {
    fc.assert(
      fc.property(stepsOf(Object.keys(STEPS)), (steps) => {
        const { store, other, look } = twoStores();
        const pods = new Map(['a', 'b'].map((name) => [name, { phase: undefined, hasOwner: false, hasEvent: false }]));
        const events: string[] = [];
        for (const resource of ['pods', 'events']) store.watch(resource, {}, (event) => events.push(inShort(event)));
        const expected: string[] = [];
        for (const { step, name, mine } of steps) {
          expected.push(...attempt(step, mine ? store : other, name, pods.get(name)!));
          look();
        }
        expect(events).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('a watcher that looks now and then sees the log of each Pod', () => {
    fc.assert(
      fc.property(stepsOf(['create', 'run', 'finish', 'label', 'event', 'count']), (steps) => {
        const { store, other, look } = twoStores();
        const events = new Map<string, string[]>([
          ['a', []],
          ['b', []],
        ]);
        const written = new Map<string, string[]>([
          ['a', []],
          ['b', []],
        ]);
        const pods = new Map(['a', 'b'].map((name) => [name, { phase: undefined, hasOwner: false, hasEvent: false }]));
        store.watch<StoredPod>('pods', {}, (event) => events.get(event.object.metadata.name)?.push(inShort(event)));
        store.watch<StoredEvent>('events', {}, (event) => {
          events.get(event.object.involvedObject.name!)?.push(inShort(event));
        });
        for (const { step, name, mine, looks } of steps) {
          written.get(name)?.push(...attempt(step, mine ? store : other, name, pods.get(name)!));
          if (looks) look();
        }
        look();
        expect(events).toEqual(written);
      }),
      { numRuns: 60 },
    );
  });
});
