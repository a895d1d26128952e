import { existsSync } from 'node:fs';
import path from 'node:path';
import { isProvisioned, type PersistentVolume } from '../../api/index.ts';
import { objectPath } from '../base/layout.ts';
import type { StoredObject } from '../base/metadata.ts';
import type { StorageParts } from './storage.ts';
import type { ObjectKey } from '../base/store.ts';
import { newUid } from '../base/unique-id.ts';

/** See `Store.claimFolder`. */
export function claimFolder(root: string, { namespace, name }: ObjectKey, isOld: boolean): string {
  const usual = objectPath(root, 'claims', namespace, name);
  return !isOld && existsSync(usual) ? objectPath(root, 'claims', namespace, newUid()) : usual;
}

/**
 * The folder of a volume that podrun has made. The state folder may have another path than when it was made. Undefined
 * for other volumes.
 */
export function folderOfVolume(root: string, volume: PersistentVolume): string | undefined {
  const { claimRef, hostPath } = volume.spec ?? {};
  if (!isProvisioned(volume) || hostPath === undefined) return undefined;
  return objectPath(root, 'claims', claimRef?.namespace ?? '', path.basename(hostPath.path));
}

/** Removes the data of a volume that is gone, if its policy says so. */
export function removeVolumeData({ root, staging }: StorageParts, stored: StoredObject): void {
  const volume = stored as PersistentVolume;
  const folder = folderOfVolume(root, volume);
  if (volume.spec?.persistentVolumeReclaimPolicy !== 'Delete' || folder === undefined || !existsSync(folder)) return;
  staging.discard(staging.moveToStaging(folder));
}

/** The folder that is the disk of a node, where the node has one of its own. */
export function diskFolder(root: string, nodeName: string): string {
  return path.join(root, 'disks', nodeName);
}

/** Removes the disk of a node that is gone. */
export function removeDisk({ root, staging }: StorageParts, { metadata }: StoredObject): void {
  const folder = diskFolder(root, metadata.name);
  if (existsSync(folder)) staging.discard(staging.moveToStaging(folder));
}
