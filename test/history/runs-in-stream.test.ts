import { describe, expect, it } from 'vitest';
import type { StoredEvent, StoredPod, WatchEvent } from '../../src/api/base/objects.ts';
import { runsInStream } from '../../src/history/runs-in-stream.ts';
import { latestMomentIn } from '../../src/history/base/recorded-run.ts';
import { inShort } from '../store/objects.ts';
import { BEGIN_MS, runOf } from './runs.ts';

type Line = WatchEvent<StoredPod | StoredEvent>;

const web = runOf([
  [1, { event: 'Scheduled' }],
  [2, { phase: 'Running', containers: { main: 'starts' }, conditions: { Ready: 'True' } }],
  [2.5, { containers: { main: { waits: 'CrashLoopBackOff' } } }],
  [4, { containers: { main: { exits: 1 } } }],
]);
const api = runOf([[3, { phase: 'Failed', conditions: { Ready: 'False' } }]], { name: 'api' });

/** A stream as `apply -o json` prints it: without times. */
const stream = (...runs: Array<typeof web>): Line[] =>
  runs
    .flatMap(({ transitions }) => transitions)
    .toSorted((a, b) => a.at - b.at)
    .map(({ type, object }) => ({ type, object }));

describe('a saved stream', () => {
  it('has the runs of its Pods, each with its events', () => {
    const runs = runsInStream(stream(web, api));
    expect(runs.map(({ name, transitions }) => [name, transitions.map(inShort)])).toEqual([
      ['web', web.transitions.map(inShort)],
      ['api', api.transitions.map(inShort)],
    ]);
  });

  it('has the times of its states, or the previous times', () => {
    const [run] = runsInStream(stream(web));
    expect(run?.transitions.map(({ at }) => (at - BEGIN_MS) / 1000)).toEqual([0, 1, 2, 2, 4]);
  });

  it('keeps events that come before their Pod, and passes over other objects', () => {
    const [pod, event] = stream(web);
    const other = { type: 'ADDED', object: { kind: 'ConfigMap', metadata: { name: 'x' } } } as unknown as Line;
    const [run] = runsInStream([other, event!, pod!]);
    expect(run?.transitions.map(inShort)).toEqual(
      ['ADDED default/web.Scheduled ', 'ADDED default/web Pending'].map((one) => one.trim()),
    );
  });
});

describe('the latest moment in an object', () => {
  it('is none to come, and none that is missing', () => {
    const object = web.transitions[0]!.object as StoredPod;
    const deleted = { ...object, metadata: { ...object.metadata, deletionTimestamp: '2099-01-01T00:00:00Z' } };
    expect(latestMomentIn(deleted)).toBe(BEGIN_MS);
    const conditions = [{ type: 'Ready', status: 'True' as const, lastTransitionTime: null as never }];
    expect(latestMomentIn({ ...object, status: { conditions } })).toBe(BEGIN_MS);
  });
});
