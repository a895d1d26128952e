import { describe, expect, it } from 'vitest';
import {
  chooseEviction,
  type EvictionSettings,
  type EvictionThreshold,
  lookAtPressure,
  NO_PRESSURE,
  type NodeReadings,
  type PodUse,
} from '../../../src/lifecycle/node/eviction.ts';
import { place } from '../../../src/lifecycle/scheduling/placement.ts';
import { node, podWith, requesting } from '../base-objects.ts';

const MI = 2 ** 20;
const HARD: EvictionThreshold = { signal: 'memory.available', least: { quantity: '100Mi' } };
const SOFT: EvictionThreshold = { signal: 'memory.available', least: { quantity: '200Mi' }, graceMs: 90_000 };
const DISK: EvictionThreshold = { signal: 'nodefs.available', least: { share: 0.1 } };

function settingsWith(...thresholds: EvictionThreshold[]): EvictionSettings {
  return { thresholds, maxPodGraceSeconds: 20 };
}

function readings(memoryMi: number, diskMi = 5000): NodeReadings {
  return {
    'memory.available': { available: memoryMi * MI, capacity: 4096 * MI },
    'nodefs.available': { available: diskMi * MI, capacity: 10_000 * MI },
  };
}

describe('the pressure on a node', () => {
  it('begins below a threshold, not at it', () => {
    const settings = settingsWith(HARD);
    expect(lookAtPressure(NO_PRESSURE, settings, readings(100), 0)).toMatchObject({ conditions: [], due: undefined });
    expect(lookAtPressure(NO_PRESSURE, settings, readings(99), 0)).toMatchObject({
      conditions: ['MemoryPressure'],
      due: HARD,
    });
  });

  it('has to last for the grace period of a soft threshold, without a break', () => {
    const settings = settingsWith(SOFT);
    const first = lookAtPressure(NO_PRESSURE, settings, readings(150), 0);
    expect(first).toMatchObject({ conditions: ['MemoryPressure'], due: undefined });
    const relieved = lookAtPressure(first.memory, settings, readings(300), 80_000);
    const again = lookAtPressure(relieved.memory, settings, readings(150), 90_000);
    expect(again.due).toBeUndefined();
    expect(lookAtPressure(again.memory, settings, readings(150), 179_999).due).toBeUndefined();
    expect(lookAtPressure(again.memory, settings, readings(150), 180_000).due).toBe(SOFT);
  });

  it('stays a condition of the node for five minutes after its cause', () => {
    const settings = settingsWith(HARD);
    const { memory } = lookAtPressure(NO_PRESSURE, settings, readings(50), 0);
    expect(lookAtPressure(memory, settings, readings(900), 299_999).conditions).toEqual(['MemoryPressure']);
    expect(lookAtPressure(memory, settings, readings(900), 300_000).conditions).toEqual([]);
  });

  it('counts a share of the capacity, and memory before the disk', () => {
    const settings = settingsWith(DISK, HARD);
    expect(lookAtPressure(NO_PRESSURE, settings, readings(500, 999), 0).due).toBe(DISK);
    expect(lookAtPressure(NO_PRESSURE, settings, readings(50, 999), 0).due).toBe(HARD);
  });
});

describe('the Pod to evict', () => {
  const using = (name: string, usedMi: number, requestMi: number, more: object = {}): PodUse => ({
    pod: podWith({ containers: [requesting({ memory: `${requestMi}Mi` })], ...more }, { name, uid: name }),
    byContainer: new Map([['main', usedMi * MI]]),
  });
  const nameOf = (uses: readonly PodUse[]): string | undefined =>
    chooseEviction(HARD, readings(50)['memory.available'], uses, settingsWith(HARD))?.pod.metadata.name;

  it.each<{ readonly name: string; readonly uses: PodUse[] }>([
    { name: 'uses more than it has requested', uses: [using('within', 900, 1000), using('want', 20, 10)] },
    {
      name: 'has the lowest priority of those',
      uses: [using('high', 900, 10, { priority: 5 }), using('want', 20, 10, { priority: -1 })],
    },
    { name: 'is furthest above its request', uses: [using('near', 500, 490), using('want', 100, 50)] },
    {
      name: 'is not critical',
      uses: [using('critical', 900, 0, { priority: 2_000_000_000 }), using('want', 5, 10)],
    },
  ])('$name', ({ uses }) => {
    expect(nameOf(uses)).toBe('want');
    expect(nameOf(uses.toReversed())).toBe('want');
  });

  it('is none when all are critical', () => {
    expect(nameOf([using('critical', 900, 0, { priority: 2_000_001_000 })])).toBeUndefined();
  });

  it('gets the words of a kubelet', () => {
    const uses = [using('web', 600, 100)];
    expect(chooseEviction(HARD, readings(50)['memory.available'], uses, settingsWith(HARD))).toMatchObject({
      graceSeconds: 1,
      message:
        'The node was low on resource: memory. Threshold quantity: 100Mi, available: 50Mi. ' +
        'Container main was using 600Mi, request is 100Mi, has larger consumption of memory. ',
    });
    expect(chooseEviction(SOFT, readings(150)['memory.available'], uses, settingsWith(SOFT))).toMatchObject({
      graceSeconds: 20,
    });
  });
});

describe('a Pod that comes to a node under pressure', () => {
  const now = { wallMs: 0, monotonicMs: 0 };
  const facts = { nodes: [node], placed: [], now };
  const asking = requesting({ memory: '1Mi' });

  it('waits, or is rejected when it names the node', () => {
    expect(place(podWith(), { ...facts, pressure: ['DiskPressure'] })).toMatchObject({
      type: 'waits',
      status: { conditions: [{ message: expect.stringContaining('untolerated taint') as string }] },
    });
    const named = podWith({ nodeName: node.name, containers: [asking] });
    expect(place(named, { ...facts, pressure: ['DiskPressure'] })).toMatchObject({
      type: 'rejected',
      status: { reason: 'Evicted', message: 'Pod was rejected: The node had condition: [DiskPressure]. ' },
    });
  });

  it('runs in spite of a lack of memory when it has a request, or tolerates it', () => {
    const pressure = ['MemoryPressure'] as const;
    const toleration = { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists' } as const;
    expect(place(podWith(), { ...facts, pressure }).type).toBe('waits');
    expect(place(podWith({ containers: [asking] }), { ...facts, pressure }).type).toBe('binds');
    expect(place(podWith({ tolerations: [toleration] }), { ...facts, pressure }).type).toBe('binds');
    expect(place(podWith({ nodeName: node.name }), { ...facts, pressure }).type).toBe('rejected');
    expect(place(podWith({ nodeName: node.name, tolerations: [toleration] }), { ...facts, pressure }).type).toBe(
      'runs',
    );
  });
});
