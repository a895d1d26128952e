import { describe, expect, it } from 'vitest';
import type { StoredMeta, StoredPod } from '../../../src/api/base/objects.ts';
import { type DeletionRequest, planDeletion } from '../../../src/lifecycle/requests/deletion.ts';

const NOW_MS = Date.parse('2026-01-15T12:00:00Z');
const plain: DeletionRequest = { graceSeconds: undefined, isOwned: true, nowMs: NOW_MS };

function pod(changes: { metadata?: Partial<StoredMeta>; spec?: object; phase?: string } = {}): StoredPod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: '1',
      resourceVersion: '5',
      creationTimestamp: '2026-01-15T11:00:00Z',
      generation: 1,
      ...changes.metadata,
    },
    spec: { containers: [], nodeName: 'node-1', terminationGracePeriodSeconds: 30, ...changes.spec },
    status: { phase: (changes.phase ?? 'Running') as 'Running' },
  };
}

/** A Pod that was deleted ten seconds ago, with a grace period of thirty. */
const ending = pod({
  metadata: { deletionTimestamp: '2026-01-15T12:00:20.000000Z', deletionGracePeriodSeconds: 30, generation: 2 },
});

describe('planDeletion()', () => {
  it.each([
    { name: 'that has succeeded', present: pod({ phase: 'Succeeded' }), request: plain },
    { name: 'that has failed', present: pod({ phase: 'Failed' }), request: plain },
    { name: 'without a node', present: pod({ spec: { nodeName: undefined } }), request: plain },
    { name: 'that no podrun runs', present: pod(), request: { ...plain, isOwned: false } },
    { name: 'that no podrun runs and was being deleted', present: ending, request: { ...plain, isOwned: false } },
    { name: 'by force', present: pod(), request: { ...plain, graceSeconds: 0 } },
    { name: 'that is being deleted, by force', present: ending, request: { ...plain, graceSeconds: 0 } },
    { name: 'whose spec gives no time', present: pod({ spec: { terminationGracePeriodSeconds: 0 } }), request: plain },
  ])('removes a Pod $name at once', ({ present, request }) => {
    expect(planDeletion(present, request)).toEqual({
      type: 'remove',
      pod: {
        ...present,
        metadata: {
          ...present.metadata,
          generation: 2,
          deletionTimestamp: '2026-01-15T12:00:00.000000Z',
          deletionGracePeriodSeconds: 0,
        },
      },
    });
  });

  it.each([
    { name: 'its own grace period', spec: {}, graceSeconds: undefined, seconds: 30, until: '12:00:30.000000Z' },
    { name: "the request's", spec: {}, graceSeconds: 5, seconds: 5, until: '12:00:05.000000Z' },
    { name: 'a longer one too', spec: {}, graceSeconds: 90, seconds: 90, until: '12:01:30.000000Z' },
    {
      name: 'at least a second',
      spec: { terminationGracePeriodSeconds: -5 },
      graceSeconds: undefined,
      seconds: 1,
      until: '12:00:01.000000Z',
    },
  ])('gives a running Pod $name', ({ spec, graceSeconds, seconds, until }) => {
    const present = pod({ spec });
    expect(planDeletion(present, { ...plain, graceSeconds })).toEqual({
      type: 'mark',
      pod: {
        ...present,
        metadata: {
          ...present.metadata,
          generation: 2,
          deletionTimestamp: `2026-01-15T${until}`,
          deletionGracePeriodSeconds: seconds,
        },
      },
    });
  });

  it.each([
    { graceSeconds: 12, until: '12:00:02.000000Z', left: 2 },
    { graceSeconds: 3, until: '11:59:53.000000Z', left: 1 },
  ])('a second request leaves the rest of its $graceSeconds s', ({ graceSeconds, until, left }) => {
    expect(planDeletion(ending, { ...plain, graceSeconds })).toEqual({
      type: 'mark',
      pod: {
        ...ending,
        metadata: {
          ...ending.metadata,
          deletionTimestamp: `2026-01-15T${until}`,
          deletionGracePeriodSeconds: left,
        },
      },
    });
  });

  it.each([undefined, 30, 60])('a second request for %s seconds asks for nothing sooner', (graceSeconds) => {
    expect(planDeletion(ending, { ...plain, graceSeconds })).toEqual({ type: 'pending' });
  });

  it('removes a Pod that has ended and is being deleted: its agent was killed before it did', () => {
    expect(planDeletion({ ...ending, status: { phase: 'Succeeded' } }, plain)).toMatchObject({ type: 'remove' });
  });

  it.each([undefined, 5, 0])('of a Pod that only finalizers hold, %s seconds ask for nothing', (graceSeconds) => {
    const held = {
      deletionTimestamp: '2026-01-15T11:59:00.000000Z',
      deletionGracePeriodSeconds: 0,
      finalizers: ['a/b'],
    };
    const present = pod({ metadata: held, phase: 'Succeeded' });
    for (const isOwned of [true, false]) {
      expect(planDeletion(present, { ...plain, isOwned, graceSeconds })).toEqual({ type: 'pending' });
    }
  });
});
