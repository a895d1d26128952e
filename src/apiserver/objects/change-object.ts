import { recordBudgetEvents } from '../deletion/evict-pod.ts';
import {
  fromServer,
  goQuote,
  type KubeObject,
  PodrunError,
  removesLastFinalizer,
  resourceTypeOf,
  type StoredKubeObject,
  type StoredPod,
} from '../../api/index.ts';
import { concernsVolumes, settleVolumes } from '../volumes/settle-volumes.ts';
import { admitChange, withKeptTolerations } from '../admission/admit-new.ts';
import { admitUpdate, decodeChanged, formatFieldError, type Subresource, withHeading } from '../../manifest/index.ts';
import { conflict, type Store } from '../../store/index.ts';
import { allocated, settleReach } from '../services/allocate.ts';
import { objectToChange } from '../base/default-objects.ts';
import { missingObjectError, type ObjectRef } from '../base/object-ref.ts';
import { readNode } from '../../settings/index.ts';
import { shortages, tooLargeForNode } from '../../lifecycle/index.ts';

/** A client's change of an object. */
export interface ChangeRequest {
  readonly store: Store;
  readonly ref: ObjectRef;
  readonly subresource?: Subresource | undefined;
  /** Computes the new object from the stored one. May be called again. */
  readonly change: (stored: StoredKubeObject) => KubeObject;
  /** Called when the change is valid, before it is written, while the store is locked. Not in a dry run. */
  readonly onAdmitted?: (stored: StoredKubeObject) => void;
  /** Gets a sentence for each unknown field. */
  readonly warn: (text: string) => void;
  /** True: compute the result, but store nothing. */
  readonly isDryRun: boolean;
}

export interface ChangedObject {
  readonly object: StoredKubeObject;
  readonly isChanged: boolean;
}

/**
 * Changes a stored object as the API server does: checks the rules for updates, and writes in one step, so that changes
 * of other clients are not lost. Removes a deleted object with its last finalizer.
 * @throws {PodrunError} in kubectl's words, when there is no such object, when the rules forbid the change, when the
 * change asks for a resourceVersion that is not the stored one, and what `change` throws
 */
export function changeObject(request: ChangeRequest): ChangedObject {
  const { store, ref, subresource, change, isDryRun } = request;
  const { type, namespace, name } = ref;
  const before = objectToChange(store, ref);
  if (before === undefined) throw missingObjectError(store, ref);
  if (isDryRun) {
    const object = admit(before, change(before), request);
    return { object, isChanged: object !== before };
  }
  let stored = before;
  let last: StoredKubeObject | undefined;
  const changed = store.change<StoredKubeObject>(type.plural, { namespace, name }, partOf(subresource), (present) => {
    stored = present;
    const object = admit(present, change(present), request);
    request.onAdmitted?.(present);
    last = removesLastFinalizer(present, object) ? object : undefined;
    // The object is deleted in its stored form: readers see no change before that.
    return last === undefined ? object : present;
  });
  if (last !== undefined) store.delete(type.plural, namespace, name);
  if (concernsVolumes(changed)) settleVolumes(store, changed);
  if (last !== undefined) return { object: last, isChanged: true };
  settleReach(store, stored, changed);
  const isChanged = changed.metadata.resourceVersion !== stored.metadata.resourceVersion;
  if (isChanged) recordBudgetEvents(store, changed);
  return { object: changed, isChanged };
}

/** A write of the status may change labels, too. */
function partOf(subresource: Subresource | undefined): 'object' | 'both' {
  return subresource === 'status' ? 'both' : 'object';
}

function admit(
  stored: StoredKubeObject,
  wanted: KubeObject,
  { store, subresource, warn }: Pick<ChangeRequest, 'store' | 'subresource' | 'warn'>,
): StoredKubeObject {
  const { resourceVersion } = wanted.metadata;
  if (resourceVersion && resourceVersion !== stored.metadata.resourceVersion) {
    const { message } = conflict(resourceTypeOf(stored).plural, stored.metadata.name);
    throw fromServer('Conflict', message);
  }
  const { object, errors, unknown } = decodeChanged(wanted, stored);
  const [wrong] = errors;
  if (wrong !== undefined) {
    throw new PodrunError('Invalid', `The request is invalid: patch: ${formatFieldError(wrong)}`);
  }
  for (const { detail } of unknown) warn(detail);
  const kept = subresource === undefined ? withKeptTolerations(store, object, stored) : object;
  const verdict = admitUpdate(stored, kept, subresource === undefined ? {} : { subresource });
  if (verdict.ok) {
    const isSame = verdict.object === stored;
    const admitted = (isSame ? stored : allocated(store, verdict.object)) as StoredKubeObject;
    if (subresource === 'resize') refuseResize(admitted as unknown as StoredPod);
    if (subresource !== 'status') admitChange(store, admitted, stored);
    return admitted;
  }
  const heading = `The ${stored.kind} ${goQuote(stored.metadata.name)} is invalid`;
  const lines = withHeading(heading, verdict.errors.map(formatFieldError));
  const path = verdict.errors[0]?.path || undefined;
  throw new PodrunError('Invalid', lines.join('\n'), { path, causes: verdict.errors });
}

/**
 * Refuses a resize of a Pod on this node to more CPU or memory than the whole node has, as the API server does.
 * @throws {PodrunError} in kubectl's words
 */
function refuseResize({ metadata: { name }, spec }: StoredPod): void {
  if (!spec.nodeName) return;
  const node = readNode({ storageDir: '/' });
  const lack = shortages(spec, node, []).find(({ resource }) => resource === 'cpu' || resource === 'memory');
  if (lack === undefined) return;
  throw fromServer('Forbidden', `pods "${name}" is forbidden: ${tooLargeForNode(lack)}`);
}
