import { describe, expect, it } from 'vitest';
import { PodrunError } from '../../src/api/errors.ts';
import { PodRecord } from '../../src/agent/pod-record.ts';
import type { KubeObject, StoredPod } from '../../src/api/objects.ts';
import type { ObjectKey, ObjectPart, Resource, Storable } from '../../src/store/store.ts';
import { ManualClock } from '../simulation/manual-clock.ts';
import { MemoryStore } from '../simulation/memory-store.ts';
import { newPod, withPhase } from '../store/objects.ts';

/** A store whose disk is full while the test says so. */
class FullStore extends MemoryStore {
  isFull = false;
  hasReserve = false;

  override change<T extends Storable = KubeObject>(
    resource: Resource,
    key: ObjectKey,
    part: ObjectPart,
    change: (stored: T) => T,
  ): T {
    if (this.isFull) throw new PodrunError('Disk', 'no space left on device');
    return super.change(resource, key, part, change);
  }

  override spendReserve(): boolean {
    const had = this.hasReserve;
    this.hasReserve = false;
    if (had) this.isFull = false;
    return had;
  }
}

function recorded(): { store: FullStore; clock: ManualClock; record: PodRecord; pod: StoredPod; troubles: string[] } {
  const clock = new ManualClock();
  const store = new FullStore(clock);
  const pod = store.create('pods', newPod('web'));
  const troubles: string[] = [];
  const record = new PodRecord({
    pod,
    store,
    clock,
    nodeName: 'here',
    onEvent: () => undefined,
    onTrouble: ({ message }) => troubles.push(message),
    onGone: () => undefined,
  });
  return { store, clock, record, pod, troubles };
}

describe('the record of a Pod on a full disk', () => {
  const phaseIn = (store: FullStore): string | undefined =>
    store.get<StoredPod>('pods', 'default', 'web')?.status.phase;

  it('is written as soon as there is room, with what is known last; the trouble is told once', () => {
    const { store, clock, record, pod, troubles } = recorded();
    store.isFull = true;
    record.saveStatus(withPhase(pod, 'Pending'));
    record.saveStatus(withPhase(pod, 'Running'));
    clock.advance(5000);
    expect(troubles).toEqual(['no space left on device']);
    store.isFull = false;
    clock.advance(1000);
    expect(phaseIn(store)).toBe('Running');
  });

  it('spends what is in reserve on the end, and on nothing before', () => {
    const { store, record, pod, troubles } = recorded();
    Object.assign(store, { isFull: true, hasReserve: true });
    record.saveStatus(withPhase(pod, 'Running'));
    expect(store.hasReserve).toBe(true);
    record.saveStatus(withPhase(pod, 'Succeeded'));
    expect(phaseIn(store)).toBe('Succeeded');
    expect(troubles).toHaveLength(1);
  });

  it.each([
    { room: 'comes in time', afterMs: 3000, phase: 'Failed', overMs: 4000 },
    { room: 'does not come', afterMs: 60_000, phase: undefined, overMs: 11_000 },
  ])('keeps the Pod from being over, for a while: room $room', ({ afterMs, phase, overMs }) => {
    const { store, clock, record, pod } = recorded();
    const before = phaseIn(store);
    store.isFull = true;
    record.saveStatus(withPhase(pod, 'Failed'));
    let isOver = false;
    record.whenSaved(() => (isOver = true));
    clock.advance(Math.min(afterMs, overMs));
    store.isFull = afterMs > overMs;
    clock.advance(overMs);
    expect(isOver).toBe(true);
    expect(phaseIn(store)).toBe(phase ?? before);
  });

  it('holds nobody up when all is written', () => {
    const { record, pod } = recorded();
    record.saveStatus(withPhase(pod, 'Failed'));
    let isOver = false;
    record.whenSaved(() => (isOver = true));
    expect(isOver).toBe(true);
  });
});
