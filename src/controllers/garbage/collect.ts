import { deleteAction, patchAction } from '../base/actions.ts';
import { hasDeletionTimestamp } from '../base/ownership.ts';
import type { ControllerAction, Owned } from '../base/reconcile.ts';

/**
 * The garbage of a namespace: what must be deleted, or must lose an owner, because owners are gone or are being
 * deleted. One stage: the loop calls it again after its writes. Source:
 * pkg/controller/garbagecollector/garbagecollector.go.
 * @param objects all objects of one namespace, and those without a namespace that own any
 */
export function garbageActions(objects: readonly Owned[]): ControllerAction[] {
  const byUid = new Map(objects.map((object) => [object.metadata.uid, object]));
  const dependents = new Map<string, Owned[]>();
  for (const object of objects) {
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      const others = dependents.get(uid);
      if (others === undefined) dependents.set(uid, [object]);
      else others.push(object);
    }
  }
  return objects.flatMap((object) => {
    const own = dependents.get(object.metadata.uid) ?? [];
    if (waitsFor(object, ORPHAN_FINALIZER)) return orphan(object, own);
    if (waitsFor(object, FOREGROUND_FINALIZER) && !own.some((one) => blocks(one, object))) {
      return [withoutFinalizer(object, FOREGROUND_FINALIZER)];
    }
    return hasDeletionTimestamp(object) ? [] : byOwners(object, byUid, own.length > 0);
  });
}

function waitsFor(object: Owned, finalizer: string): boolean {
  return hasDeletionTimestamp(object) && (object.metadata.finalizers?.includes(finalizer) ?? false);
}

/** The dependents lose the owner; when it has none any more, it may go. Source: attemptToOrphan. */
function orphan(owner: Owned, dependents: readonly Owned[]): ControllerAction[] {
  if (dependents.length === 0) return [withoutFinalizer(owner, ORPHAN_FINALIZER)];
  return dependents.map((object) => withOwners(object, ({ uid }) => uid !== owner.metadata.uid));
}

/** True for a dependent that its owner must outlive. */
function blocks(dependent: Owned, owner: Owned): boolean {
  const references = dependent.metadata.ownerReferences ?? [];
  return references.some(({ uid, blockOwnerDeletion }) => uid === owner.metadata.uid && blockOwnerDeletion === true);
}

/** Deletes an object all of whose owners are gone or wait for its end. Source: attemptToDeleteItem. */
function byOwners(object: Owned, byUid: ReadonlyMap<string, Owned>, hasDependents: boolean): ControllerAction[] {
  const references = object.metadata.ownerReferences ?? [];
  if (references.length === 0) return [];
  const owners = references.map(({ uid }) => byUid.get(uid));
  const isSolid = (owner: Owned | undefined): boolean => owner !== undefined && !waitsFor(owner, FOREGROUND_FINALIZER);
  const solid = owners.filter(isSolid);
  if (solid.length === owners.length) return [];
  if (solid.length > 0) return [withOwners(object, ({ uid }) => isSolid(byUid.get(uid)))];
  const isAwaited = owners.some((owner) => owner !== undefined);
  return [deleteAction(object, isAwaited && hasDependents ? 'Foreground' : 'Background')];
}

type Reference = NonNullable<Owned['metadata']['ownerReferences']>[number];

function withOwners(object: Owned, keeps: (reference: Reference) => boolean): ControllerAction {
  const ownerReferences = (object.metadata.ownerReferences ?? []).filter(keeps);
  return patchAction(object, { metadata: { ownerReferences: ownerReferences.length === 0 ? null : ownerReferences } });
}

function withoutFinalizer(object: Owned, finalizer: string): ControllerAction {
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  return patchAction(object, { metadata: { finalizers: finalizers.length === 0 ? null : finalizers } });
}

/** The way of the objects that a deleted object owns. */
export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

/** Finalizers of an object that waits for its dependents. Source: k8s.io/apimachinery/pkg/apis/meta/v1/types.go. */
export const FOREGROUND_FINALIZER = 'foregroundDeletion';
export const ORPHAN_FINALIZER = 'orphan';

/**
 * Kinds whose dependents live on when a request names no policy. Source: their strategies'
 * DefaultGarbageCollectionPolicy.
 */
const ORPHANING = new Set(['batch/v1 Job', 'v1 ReplicationController']);

/** The policy of a request that names none. kubectl always names one. */
export function defaultPropagation({ apiVersion, kind }: Pick<Owned, 'apiVersion' | 'kind'>): PropagationPolicy {
  return ORPHANING.has(`${apiVersion} ${kind}`) ? 'Orphan' : 'Background';
}

/**
 * The finalizers of an object after a request to delete it. The policy adds or removes the finalizers that wait for
 * dependents. Source: apiserver/pkg/registry/generic/registry/store.go deletionFinalizersForGarbageCollection.
 */
export function finalizersAfterDelete({ metadata }: Pick<Owned, 'metadata'>, policy: PropagationPolicy): string[] {
  const others = (metadata.finalizers ?? []).filter(
    (name) => name !== FOREGROUND_FINALIZER && name !== ORPHAN_FINALIZER,
  );
  if (policy === 'Foreground') return [...others, FOREGROUND_FINALIZER];
  return policy === 'Orphan' ? [...others, ORPHAN_FINALIZER] : others;
}
