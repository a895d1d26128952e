import { applyPatch, type KubeObject, resourceTypeOf, type StoredPod, usage, type Workload } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { checkConditionType, setConditions } from '../../lifecycle/index.ts';
import type { Subresource } from '../../manifest/index.ts';
import { changeObject } from '../../apiserver/index.ts';
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
