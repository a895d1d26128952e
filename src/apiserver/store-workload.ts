import { finishedCondition, hasCode, qualifiedKind, resourceTypeOf } from '../api/index.ts';
import type { Clock } from '../clock.ts';
import { configureObject } from './configure-object.ts';
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

/** A Job that `apply` replaces by a new one, and the reason. */
interface ReplacedJob {
  readonly job: StoredJob;
  readonly why: string;
}

/**
 * The Job of this name that no agent has, if it has ended, or was interrupted and cannot be changed as the manifest
 * says: `apply` replaces it. Undefined: there is none.
 */
export function replacedJob(store: FileStore, manifest: ManifestObject): ReplacedJob | undefined {
  if (manifest.object.kind !== 'Job' || hasLiveController(store, workloadKey(manifest))) return undefined;
  const job = recordOf(store, manifest) as unknown as StoredJob | undefined;
  if (job === undefined) return undefined;
  const end = finishedCondition(job.status ?? {})?.type;
  if (end !== undefined) return { job, why: `it was ${end}` };
  return isChangeable(store, manifest)
    ? undefined
    : { job, why: 'it was interrupted, and its manifest is another one' };
}

/** False when the rules for updates forbid the change. */
function isChangeable(store: FileStore, manifest: ManifestObject): boolean {
  try {
    configureObject(store, manifest, { isDryRun: true, warn: () => undefined });
    return true;
  } catch (error) {
    if (!hasCode(error, 'Invalid')) throw error;
    return false;
  }
}

/**
 * Stores a workload as its manifest says, and returns kubectl's line. A Job that has ended, or that was interrupted and
 * cannot be changed, is replaced by a new one, unlike in a cluster: the next `apply` of a Job runs it again.
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
  const replaced = replacedJob(store, manifest);
  if (replaced !== undefined) {
    const { job, why } = replaced;
    const type = resourceTypeOf(job);
    const { namespace, name } = job.metadata;
    await deleteObject({ store, clock, graceSeconds: undefined }, { type, namespace, name });
    note(`${qualifiedKind(type)}/${name} is replaced: ${why}`);
  }
  return storeRecord(store, manifest, warn, made);
}
