import type { ObjectMeta } from './generated/types.ts';

/**
 * Finalizers keep a deleted object in the store: it goes when the last of them has been removed.
 * Source: apiserver/pkg/registry/generic/registry/store.go.
 */

interface HasMetadata {
  readonly metadata: ObjectMeta;
}

/** True when a deletion of the object has to wait for somebody. */
export function hasFinalizers({ metadata }: HasMetadata): boolean {
  return (metadata.finalizers ?? []).length > 0;
}

/** True when the object is deleted but for its finalizers: nobody is given time any more to end what runs of it. */
export function isHeld(object: HasMetadata): boolean {
  return isDeletionComplete(object) && hasFinalizers(object);
}

/** True when a change takes away the last that keeps a deleted object. Source: ShouldDeleteDuringUpdate. */
export function isLetGo(stored: HasMetadata, changed: HasMetadata): boolean {
  return isHeld(stored) && !hasFinalizers(changed);
}

function isDeletionComplete({ metadata }: HasMetadata): boolean {
  return metadata.deletionTimestamp !== undefined && !metadata.deletionGracePeriodSeconds;
}
