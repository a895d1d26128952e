import { expect, it } from 'vitest';
import type { StoredKubeObject } from '../../src/api/base/objects.ts';
import { LongChange } from '../../src/apiserver/writes/long-change.ts';
import type { Clock } from '../../src/clock.ts';

const storedAt = (version: string): StoredKubeObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'large', resourceVersion: version } }) as StoredKubeObject;

/** A change that takes some time to compute, and the versions for which it was computed. */
function newChange(tookMs: number) {
  let nowMs = 0;
  const clock: Clock = { now: () => ({ wallMs: nowMs, monotonicMs: nowMs }), wakeAt: () => ({ cancel: () => {} }) };
  const computed: (string | undefined)[] = [];
  const change = new LongChange((stored) => {
    nowMs += tookMs;
    computed.push(stored.metadata.resourceVersion);
    return stored;
  }, clock);
  return { change, computed };
}

it('a change that is computed in no time is stored at once', async () => {
  const { change, computed } = newChange(0);
  let attempts = 0;
  await change.run(() => {
    attempts += 1;
    return change.of(storedAt('1'));
  });
  expect([attempts, computed]).toEqual([1, ['1']]);
});

it('a change that takes long to compute is stored in a later attempt, without computing it again', async () => {
  const { change, computed } = newChange(100);
  let attempts = 0;
  const stored = await change.run(() => {
    attempts += 1;
    return change.of(storedAt('1'));
  });
  expect([attempts, computed, stored.metadata.resourceVersion]).toEqual([2, ['1'], '1']);
});

it('each long step of a change has an attempt of its own, and is done once', async () => {
  let nowMs = 0;
  const clock: Clock = { now: () => ({ wallMs: nowMs, monotonicMs: nowMs }), wakeAt: () => ({ cancel: () => {} }) };
  const done: string[] = [];
  const part = (name: string) => change.step(name, storedAt('1'), () => ((nowMs += 100), done.push(name)));
  const change: LongChange<StoredKubeObject> = new LongChange((stored) => {
    part('one');
    part('other');
    return stored;
  }, clock);
  let attempts = 0;
  await change.run(() => {
    attempts += 1;
    return change.of(storedAt('1'));
  });
  expect([attempts, done]).toEqual([3, ['one', 'other']]);
});

it('short steps of a change share an attempt, until they take long together', async () => {
  let nowMs = 0;
  const clock: Clock = { now: () => ({ wallMs: nowMs, monotonicMs: nowMs }), wakeAt: () => ({ cancel: () => {} }) };
  let attempts = 0;
  const doneIn: number[] = [];
  const part = (name: string) => change.step(name, storedAt('1'), () => ((nowMs += 6), doneIn.push(attempts)));
  const change: LongChange<StoredKubeObject> = new LongChange((stored) => {
    for (const name of ['one', 'two', 'three', 'four', 'five']) part(name);
    return stored;
  }, clock);
  await change.run(() => {
    attempts += 1;
    return change.of(storedAt('1'));
  });
  expect(doneIn).toEqual([1, 1, 2, 2, 3]);
});

it('a change is computed again when another client was faster, and stored in the end when one always is', async () => {
  const { change, computed } = newChange(100);
  let version = 0;
  const stored = await change.run(() => change.of(storedAt(String(++version))));
  expect([computed, stored.metadata.resourceVersion]).toEqual([['1', '2', '3', '4'], '4']);
});
