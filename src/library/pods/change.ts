import {
  applyPatch,
  type KubeObject,
  resourceTypeOf,
  type StoredKubeObject,
  type StoredPod,
  usage,
  type Workload,
} from '../../api/index.ts';
import { changeObject, deleteObject, deletePod, waitForObject } from '../../apiserver/index.ts';
import type { Clock } from '../../clock.ts';
import { checkConditionType, type DeletionAuthor, type Root, setConditions } from '../../lifecycle/index.ts';
import type { Subresource } from '../../manifest/index.ts';
import type { FileStore } from '../../store/index.ts';
import type { ConditionOptions, PatchOptions, Pods } from '../base/types.ts';

/** The store in which Pods are changed, and the listener for warnings about unknown fields. */
export interface ChangeContext {
  readonly store: FileStore;
  readonly clock: Clock;
  readonly warn: (text: string) => void;
}

/** Applies a patch to a Pod or workload. Returns the changed object. */
export function patchObject<T extends StoredPod | Workload>(
  context: ChangeContext,
  object: T,
  patch: object,
  { type = Array.isArray(patch) ? 'json' : 'strategic', subresource }: PatchOptions,
): T {
  return changed(context, object, subresource, (stored) => applyPatch(stored, patch, type));
}

type Status = Parameters<Pods['condition']>[1];

/** Sets or removes a condition of a Pod. Returns the changed Pod. */
export function setCondition(
  context: ChangeContext,
  pod: StoredPod,
  { type, status, reason, message }: { readonly type: string; readonly status: Status } & ConditionOptions,
): StoredPod {
  checkConditionType(type);
  const edit = { type, status: statusOf(status), reason, message };
  const { wallMs } = context.clock.now();
  return changed(context, pod, 'status', (stored) => ({
    ...stored,
    status: setConditions((stored as unknown as StoredPod).status, [edit], wallMs),
  }));
}

function statusOf(status: Status): 'True' | 'False' | 'Unknown' | undefined {
  if (typeof status === 'boolean') return status ? 'True' : 'False';
  if (status === undefined || ['True', 'False', 'Unknown'].includes(status)) return status;
  throw usage(`invalid status of a condition, ${JSON.stringify(status)}: it is True, False or Unknown`);
}

function changed<T extends StoredPod | Workload>(
  { store, warn }: ChangeContext,
  { apiVersion, kind, metadata: { namespace, name } }: T,
  subresource: Subresource | undefined,
  change: (stored: KubeObject) => KubeObject,
): T {
  const ref = { type: resourceTypeOf({ apiVersion, kind }), namespace, name };
  const { object } = changeObject({ store, ref, subresource, change, warn, isDryRun: false });
  return object as unknown as T;
}

interface DeletionContext {
  readonly store: FileStore;
  readonly clock: Clock;
  /** The grace period in seconds. Undefined: each Pod's own. */
  readonly graceSeconds: number | undefined;
  readonly author: DeletionAuthor;
}

/** Deletes a Pod, or a workload after its Pods. Resolves when the object is gone. */
export async function deleteRoot(context: DeletionContext, { object, pods, isGone }: Root): Promise<void> {
  if (isGone) return;
  const { store, clock, graceSeconds, author } = context;
  const { metadata } = object;
  const type = resourceTypeOf(object);
  if (object.kind === 'Pod') await deletePod({ ...context, ...metadata });
  else {
    const request = { store, clock, graceSeconds: undefined, propagation: 'Foreground', author } as const;
    await deleteObject(request, { type, namespace: metadata.namespace, name: metadata.name });
    // Controllers delete Pods with their own grace periods.
    const hurried: readonly StoredPod[] = graceSeconds === undefined ? [] : pods;
    await Promise.all(hurried.map((pod) => deletePod({ ...context, ...pod.metadata })));
  }
  const isMet = (stored: StoredKubeObject | undefined): boolean => stored?.metadata.uid !== metadata.uid;
  const { namespace, name } = metadata;
  await waitForObject({ store, clock, of: { type, namespace, name }, isMet });
}
