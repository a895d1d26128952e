import { describe, expect, it } from 'vitest';
import { claimObjects } from '../../src/controllers/base/ownership.ts';
import type { Owned } from '../../src/controllers/base/reconcile.ts';

function object(uid: string, metadata: Partial<Owned['metadata']> = {}): Owned {
  const system = { name: uid, namespace: 'default', uid, resourceVersion: '1', creationTimestamp: '' };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { ...system, ...metadata } };
}

const owned = { ownerReferences: [{ apiVersion: 'v1', kind: 'Job', name: 'owner', uid: 'owner', controller: true }] };
const foreign = { ownerReferences: [{ apiVersion: 'v1', kind: 'Job', name: 'other', uid: 'other', controller: true }] };
const matching = { labels: { app: 'web' } };
const deleted = { deletionTimestamp: 'now' };
const matches = ({ metadata }: Owned): boolean => metadata.labels?.['app'] === 'web';
const namesIn = (actions: readonly unknown[]): unknown[] =>
  actions.map((action) => (action as { on: { name: string } }).on.name);

describe('an owner', () => {
  it.each<[string, Partial<Owned['metadata']>, boolean]>([
    ['what matches and has no controller', matching, true],
    ['nothing that is being deleted', { ...matching, ...deleted }, false],
    ['nothing of another controller', { ...matching, ...foreign }, false],
    ['nothing that does not match', {}, false],
    ['nothing that it has', { ...matching, ...owned }, false],
  ])('adopts %s', (_, metadata, isAdopted) => {
    const { actions } = claimObjects(object('owner'), [object('pod', metadata)], { matches });
    expect(namesIn(actions)).toEqual(isAdopted ? ['pod'] : []);
  });

  it('gives what it adopts a reference and its finalizer', () => {
    const { actions } = claimObjects(object('owner'), [object('pod', matching)], { matches, finalizer: 'tracking' });
    const reference = { name: 'owner', uid: 'owner', controller: true, blockOwnerDeletion: true };
    expect(actions).toMatchObject([
      { patch: { metadata: { ownerReferences: [reference], finalizers: ['tracking'] } } },
    ]);
  });

  it('releases what no longer matches, and takes its finalizer', () => {
    const pod = object('pod', { ...owned, finalizers: ['tracking', 'other'] });
    const { actions, owned: kept } = claimObjects(object('owner'), [pod], { matches, finalizer: 'tracking' });
    expect(actions).toMatchObject([{ patch: { metadata: { ownerReferences: null, finalizers: ['other'] } } }]);
    expect(kept).toEqual([]);
  });

  it('that is being deleted keeps what it has, and adopts nothing', () => {
    const objects = [object('a', owned), object('b', matching)];
    const claim = claimObjects(object('owner', deleted), objects, { matches });
    expect(claim.actions).toEqual([]);
    expect(claim.owned.map(({ metadata }) => metadata.name)).toEqual(['a']);
  });
});
