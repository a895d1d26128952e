import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/index.ts';
import { LoadedPods, loadAt, readLoadCurve } from '../../src/simulation/load-curve.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';

const LONG_AGO = '2025-12-31T00:00:00.000000Z';

interface Parts {
  readonly limit?: string;
  readonly ready?: boolean;
  readonly startedAt?: string;
}

function pod(name: string, { limit, ready = true, startedAt = LONG_AGO }: Parts = {}): StoredPod {
  const resources = limit === undefined ? {} : { limits: { cpu: limit } };
  return {
    metadata: { name, namespace: 'default', labels: { app: 'web' } },
    spec: { containers: [{ name: 'app', resources }] },
    status: {
      conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
      containerStatuses: [{ name: 'app', state: { running: { startedAt } } }],
    },
  } as unknown as StoredPod;
}

describe('a load curve', () => {
  it('has lines of seconds and millicores, of which each holds until the next', () => {
    const curve = readLoadCurve('seconds,millicores\n# a comment\n\n10,100\n20.5;250\n', 'load.csv');
    expect([0, 10, 20, 21, 9999].map((seconds) => loadAt(curve, seconds))).toEqual([0, 100, 100, 250, 250]);
  });

  it.each([
    ['10,100\nlots', '--load: load.csv:2: "lots" is not SECONDS,MILLICORES'],
    ['10,-5', '--load: load.csv:1: "10,-5" is not SECONDS,MILLICORES'],
    ['10,100\n5,200', '--load: load.csv:2: the times go back'],
    ['seconds,millicores\n', '--load: load.csv has no line SECONDS,MILLICORES'],
  ])('%j is refused', (text, message) => {
    expect(() => readLoadCurve(text, 'load.csv')).toThrow(message);
  });
});

describe('the Pods of a load', () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const curve = readLoadCurve('0,300', 'load.csv');
  const loaded = new LoadedPods([{ curve, namespace: 'default', selector: { matchLabels: { app: 'web' } } }], clock);
  const used = (...pods: readonly StoredPod[]): (bigint | undefined)[][] =>
    loaded.samplesOf(pods).map(({ containers }) => containers.map(({ usage }) => usage['cpu']));

  it('share it evenly as far as they are ready', () => {
    expect(used(pod('a'), pod('b'), pod('c', { ready: false }))).toEqual([[150n], [150n], [0n]]);
  });

  it('use no more than their limits', () => {
    expect(used(pod('a', { limit: '100m' }), pod('b'))).toEqual([[100n], [150n]]);
  });

  it('have a sample when they have run for a window', () => {
    expect(used(pod('a'), pod('b', { startedAt: '2026-01-01T00:00:00.000000Z' }))).toEqual([[150n]]);
  });
});
