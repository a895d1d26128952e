import { controllerOf, type OwnerReference } from '../../api/index.ts';
import { patchAction } from './actions.ts';
import type { ControllerAction, Owned } from './reconcile.ts';

/** Ownership, adoption and release. Source of all rules here: pkg/controller/controller_ref_manager.go. */

/** The reference that makes `owner` the controller of an object. Source: metav1.NewControllerRef. */
export function controllerReference({ apiVersion, kind, metadata }: Owned): OwnerReference {
  const { name, uid } = metadata;
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

export function isControlledBy(object: Pick<Owned, 'metadata'>, owner: Owned): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

/** The objects that the owner controls, and the writes that adopt and release objects first. */
export interface ObjectClaim<T> {
  readonly owned: T[];
  /** Adoptions and releases: a stage of its own, before anything is counted. */
  readonly actions: ControllerAction[];
}

export interface ClaimRules<T> {
  /** True when the object belongs to this owner by its labels and its name. */
  readonly matches: (object: T) => boolean;
  /** A finalizer that an adopted object gets. */
  readonly finalizer?: string;
}

/**
 * Finds what the owner controls. An object that matches and has no controller is adopted, unless it or the owner is
 * being deleted. An object that no longer matches is released: it lives on without an owner. An owner that is being
 * deleted keeps what it has.
 */
export function claimObjects<T extends Owned>(
  owner: Owned,
  objects: readonly T[],
  rules: ClaimRules<T>,
): ObjectClaim<T> {
  if (hasDeletionTimestamp(owner))
    return { owned: objects.filter((object) => isControlledBy(object, owner)), actions: [] };
  const [owned, released, adopted]: [T[], T[], T[]] = [[], [], []];
  // One look at each: a Job has a thousand Pods, and each change of one leads here.
  for (const object of objects) {
    const controller = controllerOf(object);
    if (controller?.uid === owner.metadata.uid) (rules.matches(object) ? owned : released).push(object);
    else if (controller === undefined && !hasDeletionTimestamp(object) && rules.matches(object)) adopted.push(object);
  }
  return {
    owned,
    actions: [
      ...released.map((object) => release(owner, object, rules.finalizer)),
      ...adopted.map((object) => adopt(owner, object, rules.finalizer)),
    ],
  };
}

function adopt(owner: Owned, object: Owned, finalizer: string | undefined): ControllerAction {
  const ownerReferences = [...(object.metadata.ownerReferences ?? []), controllerReference(owner)];
  if (finalizer === undefined) return patchAction(object, { metadata: { ownerReferences } });
  const finalizers = [...new Set([...(object.metadata.finalizers ?? []), finalizer])];
  return patchAction(object, { metadata: { ownerReferences, finalizers } });
}

function release(owner: Owned, object: Owned, finalizer: string | undefined): ControllerAction {
  const ownerReferences = (object.metadata.ownerReferences ?? []).filter(({ uid }) => uid !== owner.metadata.uid);
  const finalizers = (object.metadata.finalizers ?? []).filter((name) => name !== finalizer);
  const lists = { ownerReferences, ...(finalizer === undefined ? {} : { finalizers }) };
  const patch = Object.entries(lists).map(([field, list]) => [field, list.length === 0 ? null : list]);
  return patchAction(object, { metadata: Object.fromEntries(patch) });
}

export function hasDeletionTimestamp({ metadata }: Pick<Owned, 'metadata'>): boolean {
  return metadata.deletionTimestamp !== undefined;
}
