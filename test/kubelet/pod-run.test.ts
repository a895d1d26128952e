import { describe, expect, it, vi } from 'vitest';
import type { KubeObject, StoredEvent, StoredPod } from '../../src/api/base/objects.ts';
import { withoutGrace } from '../../src/lifecycle/requests/deletion.ts';
import { restoredFacts } from '../../src/lifecycle/restored-facts.ts';
import type { Runtime } from '../../src/runtime/base/runtime.ts';
import { PodrunError } from '../../src/api/base/errors.ts';
import type { ObjectKey, ObjectPart, Resource, Storable, Store, Subscription } from '../../src/store/base/store.ts';
import { prepareForCreate } from '../../src/manifest/default/create.ts';
import { node } from '../lifecycle/base-objects.ts';
import { PATIENT } from '../patience.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { MemoryStore } from '../../src/simulation/memory-store.ts';
import { SimulatedRuntime } from '../../src/simulation/simulated-runtime.ts';
import { DeafStore, type FormerRun, type PodRunRig, runOf, untilAborted } from './pod-run-rig.ts';
import { newMirrorPod, newPod } from '../store/objects.ts';
import { openStore, temporaryFolder } from '../store/temporary-store.ts';

/** A store whose disk is full while the test says so. */
class FullStore extends MemoryStore {
  isFull = false;
  hasReserve = false;

  override change<T extends Storable = KubeObject>(
    ...args: [Resource, ObjectKey, ObjectPart, (stored: T) => T, Subscription?]
  ): T {
    if (this.isFull) throw new PodrunError('Disk', 'no space left on device');
    return super.change(...args);
  }

  override spendReserve(): boolean {
    const had = this.hasReserve;
    this.hasReserve = false;
    if (had) this.isFull = false;
    return had;
  }
}

it('the agent may forget a Pod that had ended when its object is removed', async () => {
  const clock = new ManualClock();
  const store = new MemoryStore(clock);
  const pod = store.create('pods', newPod('web'));
  const { run, ends, removals } = runOf(pod, store, clock);
  run.terminate({ force: true });
  expect([run.state, ends.count, removals.count]).toEqual(['over', 1, 0]);
  store.delete('pods', 'default', 'web');
  await clock.run();
  expect([ends.count, removals.count]).toEqual([1, 1]);
});

it('the agent may forget a Pod that another process removed just before it did', async () => {
  const [root, clock] = [temporaryFolder(), new ManualClock()];
  const client = openStore(root, new ManualClock());
  const pod = client.create('pods', newPod('web'));
  const { ends, removals } = runOf(pod, openStore(root, clock), clock);
  client.change<StoredPod>('pods', pod.metadata, 'object', (stored) => withoutGrace(stored, clock.now().wallMs));
  client.delete('pods', 'default', 'web');
  await vi.waitFor(() => expect([ends.count, removals.count]).toEqual([1, 1]), PATIENT);
});

it.each([false, true])(
  'the agent may forget a Pod that was removed while its node was silent (ran: %s)',
  async (ran) => {
    const clock = new ManualClock();
    const store = new MemoryStore(clock);
    const pod = store.create('pods', newPod('web'));
    const { run, ends, removals } = runOf(pod, store, clock);
    if (ran) run.begin();
    await clock.run();
    run.cutOff(false);
    store.delete('pods', 'default', 'web');
    if (ran) run.reconnect();
    await clock.run();
    expect([run.state, ends.count, removals.count]).toEqual(['over', 1, 1]);
  },
);

describe('a Pod that a client changed after it was stored, and before its agent looked', () => {
  const begun = (
    change: (pod: StoredPod) => StoredPod,
  ): PodRunRig & { readonly stored: () => StoredPod | undefined } => {
    const clock = new ManualClock();
    const store = new MemoryStore(clock);
    const { spec, ...rest } = newPod('web');
    const gated = { ...rest, spec: { ...spec, schedulingGates: [{ name: 'wait' }] } };
    const pod = store.create('pods', prepareForCreate(gated as unknown as KubeObject) as unknown as typeof gated);
    store.change<StoredPod>('pods', pod.metadata, 'object', change);
    const rig = runOf(pod, store, clock);
    rig.run.begin();
    return { ...rig, stored: () => store.get<StoredPod>('pods', 'default', 'web') };
  };

  it('is scheduled when its gates are gone', () => {
    const { run } = begun((pod) => ({ ...pod, spec: { ...pod.spec, schedulingGates: [] } }));
    expect(run.state).toBe('placed');
  });

  it('is removed when it is to be deleted', () => {
    const { run, stored } = begun((pod) => withoutGrace(pod, 0));
    expect([run.state, stored()]).toEqual(['over', undefined]);
  });
});

describe('a Pod of a former agent that was removed by force', () => {
  /** The Pod with a container that runs, and the signals that it gets. */
  function resumed(onNotices: (store: MemoryStore) => void = () => undefined) {
    const clock = new ManualClock();
    const store = new MemoryStore(clock);
    const { status, ...rest } = newPod('web');
    const placed = { ...rest, spec: { ...rest.spec, nodeName: node.name }, status: { ...status, podIP: '10.0.0.1' } };
    const pod = store.create('pods', placed);
    const kill = vi.fn<() => void>();
    const signal = vi.fn<(name: string) => boolean>(() => false);
    const running = { pid: 4711, startedAt: clock.now(), signal, kill };
    const runtime = new SimulatedRuntime({ clock });
    const adopt: NonNullable<Runtime['adopt']> = () => ({
      container: running,
      launch: { argv: ['main'], env: {}, cwd: '/' } as never,
    });
    const found = { id: `${pod.metadata.uid}/main/0`, container: 'main', attempt: 0, startedAt: clock.now() };
    const begin = (): PodRunRig =>
      runOf(pod, store, clock, {
        restoration: restoredFacts(pod, [found], clock.now()),
        runtime: Object.assign(runtime, { adopt }),
        onResume: () => onNotices(store),
      });
    return { clock, store, begin, kill, signal };
  }

  const remove = (store: MemoryStore): void => {
    store.change<StoredPod>('pods', { namespace: 'default', name: 'web' }, 'object', (stored) =>
      withoutGrace(stored, 0),
    );
    store.delete('pods', 'default', 'web');
  };

  it('before its new agent began to watch is ended', async () => {
    const { clock, store, begin, kill, signal } = resumed();
    remove(store);
    begin().run.begin();
    await clock.run(5000);
    expect([signal.mock.calls, kill.mock.calls.length]).toEqual([[['SIGTERM']], 1]);
  });

  it('while its new agent takes it over is ended', async () => {
    const { clock, begin, kill, signal } = resumed(remove);
    begin().run.begin();
    await clock.run(5000);
    expect([signal.mock.calls, kill.mock.calls.length]).toEqual([[['SIGTERM']], 1]);
  });
});

it('a Pod whose object is gone unheard is ended at the next look', async () => {
  const clock = new ManualClock();
  const store = new DeafStore(clock);
  const pod = store.create('pods', newPod('web'));
  const { run } = runOf(pod, store, clock);
  run.lookForObject();
  store.delete('pods', 'default', 'web');
  await clock.run(5000);
  expect(run.state).not.toBe('over');
  run.lookForObject();
  await clock.run(5000);
  expect(run.state).toBe('over');
});

it('events of a Pod whose kubelet loses the API are sent when it is back, with their times', async () => {
  const clock = new ManualClock(Date.parse('2026-01-01T00:00:00Z'));
  const store = new MemoryStore(clock);
  const pod = store.create('pods', newPod('web'));
  const { run } = runOf(pod, store, clock);
  run.begin();
  const killing = { reason: 'Killing', message: 'Stopping container main', type: 'Normal' } as const;
  const found = (): unknown[] => store.list<StoredEvent>('events').filter(({ reason }) => reason === 'Killing');
  run.cutOff(false);
  await clock.run(5000);
  run.events(run.pod, [killing]);
  await clock.run(60_000);
  expect(found()).toEqual([]);
  run.reconnect();
  expect(found()).toMatchObject([{ firstTimestamp: '2026-01-01T00:00:05.000000Z', count: 1 }]);
});

it('a static Pod keeps its uid and spec whatever happens to its mirror Pod, which gets its status', () => {
  const [root, clock] = [temporaryFolder(), new ManualClock()];
  const store = openStore(root, clock);
  const mirror = newMirrorPod('web', 'h');
  const pod = store.create('pods', { ...mirror, spec: { ...mirror.spec, nodeName: node.name } });
  const { run, ends, troubles } = runOf(pod, store, clock);
  run.begin();
  const image = 'another';
  store.change<StoredPod>('pods', pod.metadata, 'object', (stored) => {
    return { ...stored, spec: { ...stored.spec, containers: [{ name: 'main', image }] } };
  });
  const renewed = store.renewMirror(pod);
  run.saveStatus({ ...run.pod.status, message: 'new' });
  expect(run.pod).toMatchObject({ metadata: { uid: 'h' }, spec: pod.spec });
  const stored = store.get<StoredPod>('pods', 'default', 'web');
  expect(stored).toMatchObject({ status: { message: 'new' }, spec: { containers: [{ image }] } });
  expect(stored?.metadata.uid).toBe(renewed?.metadata.uid);
  expect([run.state, ends.count, troubles]).toEqual(['placed', 0, []]);
  store.delete('pods', 'default', 'web');
  expect(run.isRemoved).toBe(true);
});

it('a Pod whose node has crashed and started again has its sandbox after all of the former one is gone', async () => {
  const clock = new ManualClock();
  const store = new MemoryStore(clock);
  const pod = store.create('pods', newPod('web'));
  const said: string[] = [];
  let isGone = (): void => undefined;
  const machine: Parameters<typeof runOf>[4] = {
    createSandbox: (_pod, { signal }) => {
      said.push('create');
      return untilAborted(signal);
    },
    removeSandbox: () => {
      said.push('remove');
      return new Promise((resolve) => (isGone = resolve));
    },
  };
  const { run } = runOf(pod, store, clock, undefined, machine);
  run.begin();
  await vi.waitFor(() => expect(said).toEqual(['create']), PATIENT);
  run.cutOff(true);
  await vi.waitFor(() => expect(said).toEqual(['create', 'remove']), PATIENT);
  run.close();
  const stored = store.get<StoredPod>('pods', 'default', 'web')!;
  const former: FormerRun = {
    restoration: restoredFacts(stored, [], clock.now(), true),
    runtime: new SimulatedRuntime({ clock }),
    former: run.crashed,
    onResume: () => undefined,
  };
  const { run: next } = runOf(stored, store, clock, former, machine);
  next.begin();
  await clock.run();
  expect(said).toEqual(['create', 'remove']);
  isGone();
  await vi.waitFor(() => expect(said).toEqual(['create', 'remove', 'create']), PATIENT);
});

describe('a client that changes the Pod just before its agent writes', () => {
  it('may remove it: the run is over when its agent hears of that', async () => {
    const { agent, client, pod, run, ends } = twoStores();
    const heard: string[] = [];
    agent.watch('pods', {}, ({ type }) => heard.push(type));
    run.begin();
    const deletionTimestamp = '2026-01-01T00:00:00Z';
    client.change('pods', pod.metadata, 'object', inMetadata({ deletionTimestamp, deletionGracePeriodSeconds: 0 }));
    run.saveStatus({ phase: 'Failed' });
    client.delete('pods', 'default', 'web');
    run.finished();
    await vi.waitFor(() => expect(ends.count).toBe(1), PATIENT);
    // A watch of the folder brings the removal, sooner or later than the end of the run.
    await vi.waitFor(() => expect(heard.at(-1)).toBe('DELETED'), PATIENT);
  });

  function twoStores(
    change: Partial<StoredPod['spec']> = {},
  ): { agent: Store; client: Store; pod: StoredPod } & PodRunRig {
    // Nothing but a write makes these stores look for changes: their clocks stand still.
    const [root, clock] = [temporaryFolder(), new ManualClock()];
    const client = openStore(root, new ManualClock());
    const bare = newPod('web');
    const pod = client.create('pods', { ...bare, spec: { ...bare.spec, ...change } });
    const agent = openStore(root, clock);
    return { agent, client, pod, ...runOf(pod, agent, clock) };
  }

  const inMetadata =
    (changes: Partial<StoredPod['metadata']>) =>
    (pod: StoredPod): StoredPod => {
      return { ...pod, metadata: { ...pod.metadata, ...changes } };
    };

  it('reaches the worker with the answer, once', () => {
    const { client, pod, run, labels } = twoStores();
    run.begin();
    expect(labels.splice(0)).toEqual([['config', undefined]]);
    client.change('pods', pod.metadata, 'object', inMetadata({ labels: { label: 'a' } }));
    run.saveStatus({ ...run.pod.status, message: 'new' });
    expect(run.pod.metadata.labels).toEqual({ label: 'a' });
    expect(labels).toEqual([
      ['config', 'a'],
      ['changed', 'a'],
    ]);
  });

  it('may do so during the write: the older answer does not take its place', () => {
    const clock = new ManualClock();
    const store = new MemoryStore(clock);
    const pod = store.create('pods', newPod('web'));
    const label = inMetadata({ labels: { label: 'a' } });
    store.watch<StoredPod>('pods', {}, ({ object }) => {
      if (object.status.message === 'new') store.change('pods', object.metadata, 'object', label);
    });
    const { run, labels } = runOf(pod, store, clock);
    run.begin();
    run.saveStatus({ ...run.pod.status, message: 'new' });
    expect(run.pod).toMatchObject({ metadata: { labels: { label: 'a' } }, status: { phase: 'Pending' } });
    expect(labels.filter(([asked]) => asked === 'changed')).toEqual([['changed', 'a']]);
  });

  it('may remove it while its agent is about to: the run is over', () => {
    const clock = new ManualClock();
    const store = new MemoryStore(clock);
    const pod = store.create('pods', newPod('web'));
    store.watch<StoredPod>('pods', {}, ({ type, object: { metadata } }) => {
      const isEnded = type === 'MODIFIED' && metadata.deletionGracePeriodSeconds === 0;
      if (isEnded) store.delete('pods', metadata.namespace, metadata.name);
    });
    const { run, ends } = runOf(pod, store, clock);
    run.begin();
    const deletionTimestamp = '2026-01-01T00:00:30Z';
    store.change('pods', pod.metadata, 'object', inMetadata({ deletionTimestamp, deletionGracePeriodSeconds: 30 }));
    run.saveStatus({ phase: 'Failed' });
    run.finished();
    expect([run.state, ends.count]).toEqual(['over', 1]);
  });

  it('is heard while the Pod has no node', () => {
    const { client, pod, run, ends } = twoStores({ schedulingGates: [{ name: 'example.com/wait' }] });
    const gone = { deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 30 };
    client.change('pods', pod.metadata, 'object', inMetadata(gone));
    run.begin();
    expect(run.state).toBe('over');
    expect(ends.count).toBe(1);
    expect(client.get('pods', 'default', 'web')).toBeUndefined();
  });

  it('is in the Pod that the node takes', () => {
    const { client, pod, run, labels } = twoStores();
    client.change('pods', pod.metadata, 'object', inMetadata({ labels: { label: 'a' } }));
    run.begin();
    expect(run.pod.spec.nodeName).toBe(node.name);
    expect(labels).toEqual([['config', 'a']]);
  });
});

describe('the record of a Pod on a full disk', () => {
  function fullStore(): { store: FullStore; clock: ManualClock; pod: StoredPod } & PodRunRig {
    const clock = new ManualClock();
    const store = new FullStore(clock);
    const pod = store.create('pods', newPod('web'));
    return { store, clock, pod, ...runOf(pod, store, clock) };
  }

  const phaseIn = (store: FullStore): string | undefined =>
    store.get<StoredPod>('pods', 'default', 'web')?.status.phase;

  it('is written as soon as there is room, with what is known last; the trouble is reported once', () => {
    const { store, clock, run, troubles } = fullStore();
    store.isFull = true;
    run.saveStatus({ phase: 'Pending' });
    run.saveStatus({ phase: 'Running' });
    clock.advance(5000);
    expect(troubles).toEqual(['no space left on device']);
    store.isFull = false;
    clock.advance(1000);
    expect(phaseIn(store)).toBe('Running');
  });

  it('spends what is in reserve on the end, and on nothing before', () => {
    const { store, run, troubles } = fullStore();
    Object.assign(store, { isFull: true, hasReserve: true });
    run.saveStatus({ phase: 'Running' });
    expect(store.hasReserve).toBe(true);
    run.saveStatus({ phase: 'Succeeded' });
    expect(phaseIn(store)).toBe('Succeeded');
    expect(troubles).toHaveLength(1);
  });

  it.each([
    { room: 'comes in time', afterMs: 3000, phase: 'Failed', overMs: 4000 },
    { room: 'does not come', afterMs: 60_000, phase: undefined, overMs: 11_000 },
  ])('keeps the Pod from being over, for a while: room $room', ({ afterMs, phase, overMs }) => {
    const { store, clock, run, ends } = fullStore();
    const before = phaseIn(store);
    store.isFull = true;
    run.saveStatus({ phase: 'Failed' });
    run.finished();
    expect(ends.count).toBe(0);
    clock.advance(Math.min(afterMs, overMs));
    store.isFull = afterMs > overMs;
    clock.advance(overMs);
    expect(ends.count).toBe(1);
    expect(phaseIn(store)).toBe(phase ?? before);
  });

  it('holds up no caller when all is written', () => {
    const { run, ends } = fullStore();
    run.saveStatus({ phase: 'Failed' });
    run.finished();
    expect(ends.count).toBe(1);
  });
});
