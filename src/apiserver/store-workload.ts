import { finishedCondition, qualifiedKind, resourceTypeOf } from '../api/index.ts';
import type { Clock } from '../clock.ts';
import { hasLiveController, type WorkloadKey } from './live-controller.ts';
import type { StoredJob } from '../controllers/index.ts';
import type { ManifestObject } from '../manifest/index.ts';
import type { FileStore } from '../store/index.ts';
import { deleteObject } from './deletion/delete-object.ts';
import { recordOf, storeRecord } from './store-record.ts';

/** Names the stored workload of a manifest. */
export function workloadKey({ object }: ManifestObject): WorkloadKey {
  const { apiVersion, kind, metadata } = object;
  return { apiVersion, kind, namespace: metadata.namespace ?? 'default', name: metadata.name ?? '' };
}

/** The Job of this name that has ended and that no agent has: `apply` replaces it. Undefined: there is none. */
export function endedJob(store: FileStore, manifest: ManifestObject): StoredJob | undefined {
  if (manifest.object.kind !== 'Job' || hasLiveController(store, workloadKey(manifest))) return undefined;
  const job = recordOf(store, manifest) as unknown as StoredJob | undefined;
  return job !== undefined && finishedCondition(job.status ?? {}) !== undefined ? job : undefined;
}

/**
 * Stores a workload as its manifest says, and returns kubectl's line. A Job that has ended is replaced by a new one,
 * unlike in a cluster: the next `apply` of a Job runs it again.
 * @param made the word for a new object
 * @param note gets a sentence about a Job that is replaced
 * @throws {PodrunError} when the rules for updates forbid the change
 */
export async function storeWorkload(
  store: FileStore,
  clock: Clock,
  manifest: ManifestObject,
  { warn, note, made }: { warn: (text: string) => void; note: (text: string) => void; made?: string | undefined },
): Promise<string> {
  const ended = endedJob(store, manifest);
  if (ended !== undefined) {
    const type = resourceTypeOf(ended);
    const { namespace, name } = ended.metadata;
    await deleteObject({ store, clock, graceSeconds: undefined }, { type, namespace, name });
    note(`${qualifiedKind(type)}/${name} is replaced: it was ${finishedCondition(ended.status ?? {})?.type}`);
  }
  return storeRecord(store, manifest, warn, made);
}
