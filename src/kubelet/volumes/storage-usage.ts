import { promises } from 'node:fs';
import path from 'node:path';
import type { StoredPod } from '../../api/index.ts';
import type { StorageMeasures, StorageUsage } from '../../lifecycle/index.ts';
import type { PodFiles } from '../../store/index.ts';
import { diskUsage } from './disk-usage.ts';

/** Measures the folders of a Pod one after the other: the result is not urgent. */
export async function storageUsage(
  pod: StoredPod,
  { volumes, logs, layers }: StorageMeasures,
  files: Pick<PodFiles, 'paths' | 'logs' | 'layers'>,
): Promise<StorageUsage> {
  return {
    volumes: await measured(volumes, (name) => path.join(files.paths(pod).volumes, name)),
    logs: await measured(logs, (name) => files.logs(pod, name)),
    layers: await measured(layers, (name) => files.layers(pod, name)),
  };
}

async function measured(
  wanted: ReadonlyMap<string, number>,
  folderOf: (name: string) => string,
): Promise<Record<string, number>> {
  const usage: Record<string, number> = {};
  for (const [name, enoughBytes] of wanted)
    // A volume in memory is a link. Its text counts: it may lead through /proc into the mounts of the Pod.
    usage[name] = await diskUsage(await promises.readlink(folderOf(name)).catch(() => folderOf(name)), enoughBytes);
  return usage;
}
