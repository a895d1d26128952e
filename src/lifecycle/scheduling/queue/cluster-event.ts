import type {
  ResourceDeviceClass,
  ResourceResourceClaim,
  ResourceResourceSlice,
  StorageStorageClass,
  StoredClaim,
  StoredPod,
  StoredVolume,
} from '../../../api/index.ts';
import type { SchedulingNode } from '../base/snapshot.ts';

/** A change of an object. Without `before`, it was added; without `after`, it is gone. */
export interface ClusterChange<T> {
  readonly before?: T | undefined;
  readonly after?: T | undefined;
}

/** The objects whose changes may help a Pod that waits, by kind. A Pod that has ended is gone. */
export interface WatchedKinds {
  readonly Pod: StoredPod;
  /** Also the limits of volumes in its CSINode. */
  readonly Node: SchedulingNode;
  readonly PersistentVolumeClaim: StoredClaim;
  readonly PersistentVolume: StoredVolume;
  readonly StorageClass: StorageStorageClass;
  readonly ResourceClaim: ResourceResourceClaim;
  readonly ResourceSlice: ResourceResourceSlice;
  readonly DeviceClass: ResourceDeviceClass;
}

/** A change of an object of the cluster. Source: pkg/scheduler/framework/events.go. */
export type ClusterEvent = {
  readonly [Kind in keyof WatchedKinds]: ClusterChange<WatchedKinds[Kind]> & { readonly kind: Kind };
}[keyof WatchedKinds];
