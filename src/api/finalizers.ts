import type { ObjectMeta } from './generated/types.ts';

/**
 * An object with metadata. Its finalizers keep a deleted object in the store until the last of them is removed. Source:
 * apiserver/pkg/registry/generic/registry/store.go.
 */

interface HasMetadata {
  readonly metadata: ObjectMeta;
}

/** True when finalizers delay the removal of the object. */
export function hasFinalizers({ metadata }: HasMetadata): boolean {
  return (metadata.finalizers ?? []).length > 0;
}

/** True when only finalizers keep a deleted object: its grace period is over. */
export function isKeptByFinalizers(object: HasMetadata): boolean {
  return isDeletionComplete(object) && hasFinalizers(object);
}

/** True when a change removes the last finalizer of a deleted object. Source: ShouldDeleteDuringUpdate. */
export function removesLastFinalizer(stored: HasMetadata, changed: HasMetadata): boolean {
  return isKeptByFinalizers(stored) && !hasFinalizers(changed);
}

function isDeletionComplete({ metadata }: HasMetadata): boolean {
  return metadata.deletionTimestamp !== undefined && !metadata.deletionGracePeriodSeconds;
}
