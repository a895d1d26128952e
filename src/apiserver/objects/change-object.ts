import { recordBudgetEvents } from '../deletion/evict-pod.ts';
import {
  fromServer,
  goQuote,
  type KubeObject,
  PodrunError,
  qualifiedPlural,
  resourceTypeOf,
  storageOf,
  type StoredKubeObject,
  type StoredPod,
  typeOfObject,
  withKeptTimes,
} from '../../api/index.ts';
import { concernsVolumes, settleVolumes } from '../volumes/settle-volumes.ts';
import { admitChange, withKeptDefaults } from '../admission/admit-new.ts';
import {
  admitUpdate,
  decodeChanged,
  type FieldError,
  formatFieldError,
  goTypeError,
  withHeading,
} from '../../manifest/index.ts';
import { conflict } from '../../store/index.ts';
import { allocated, settleBalancer } from '../services/allocate.ts';
import type { ChangedObject, ChangeRequest } from './change-request.ts';
import { changeSchemaObject } from './change-schema-object.ts';
import { keepChange } from './keep-change.ts';
import { nodeStatusChange } from './node-object.ts';
import { objectToChange } from '../base/default-objects.ts';
import { missingObjectError } from '../base/object-ref.ts';
import { readNode } from '../../settings/index.ts';
import { shortages, tooLargeForNode } from '../../lifecycle/index.ts';
import { loneOf } from '../base/lone-store.ts';

/**
 * Changes a stored object as the API server does: checks the rules for updates, and writes in one step, so that changes
 * of other clients are not lost. Removes a deleted object with its last finalizer.
 * @throws {PodrunError} in kubectl's words, when there is no such object, when the rules forbid the change, when the
 * change asks for a resourceVersion that is not the stored one, and what `change` throws
 */
export function changeObject(request: ChangeRequest): ChangedObject {
  const { store, ref, subresource, rules, isDryRun } = request;
  if (rules?.custom !== undefined) return changeSchemaObject(request, rules.custom);
  const { type, namespace, name } = ref;
  const isNodeStatus = type.plural === 'nodes' && subresource === 'status' && loneOf(store) === undefined;
  const change = isNodeStatus ? nodeStatusChange(store, request.change) : request.change;
  const before = request.known ?? objectToChange(store, ref);
  if (before === undefined) throw missingObjectError(store, ref);
  if (isDryRun) {
    const object = admit(before, change(before), request);
    return { object, isChanged: object !== before };
  }
  let stored = before;
  const { object: changed, isGone } = keepChange({
    store,
    resource: storageOf(type),
    key: { namespace, name },
    hasStatus: subresource === 'status',
    edit: (present) => {
      stored = present;
      const object = admit(present, change(present), request);
      request.onAdmitted?.(present);
      return object;
    },
  });
  if (concernsVolumes(changed)) settleVolumes(store, changed);
  if (isGone) return { object: changed, isChanged: true };
  settleBalancer(store, stored, changed);
  const isChanged = changed.metadata.resourceVersion !== stored.metadata.resourceVersion;
  if (isChanged) recordBudgetEvents(store, changed);
  return { object: changed, isChanged };
}

function admit(
  stored: StoredKubeObject,
  wanted: KubeObject,
  { store, subresource, rules, warn, refusal, step = (_name, _stored, compute) => compute() }: ChangeRequest,
): StoredKubeObject {
  const { resourceVersion } = wanted.metadata;
  if (resourceVersion && resourceVersion !== stored.metadata.resourceVersion) {
    const { message } = conflict(qualifiedPlural(resourceTypeOf(stored)), stored.metadata.name);
    throw fromServer('Conflict', message);
  }
  const { object, errors, unknown } = step('decode', stored, () =>
    decodeChanged(withKeptTimes(wanted, stored), stored),
  );
  const [wrong] = errors;
  if (wrong !== undefined) {
    throw refusal?.(wanted, goTypeError(wrong, typeOfObject(stored) ?? stored.kind)) ?? wrongValue(wrong);
  }
  const verdict = step('admit', stored, () => {
    const kept = subresource === undefined ? withKeptDefaults(store, object, stored) : object;
    return admitUpdate(stored, kept, subresource === undefined ? {} : { subresource });
  });
  // Once, however often the parts before this line are begun again.
  for (const { detail } of unknown) warn(detail);
  const mistakes = verdict.ok ? (rules?.wrongExpressions?.(stored, verdict.object) ?? []) : verdict.errors;
  if (verdict.ok && mistakes.length === 0) {
    const isSame = verdict.object === stored;
    const admitted = (isSame ? stored : allocated(store, verdict.object)) as StoredKubeObject;
    if (subresource === 'resize') refuseResize(admitted as unknown as StoredPod);
    if (subresource !== 'status') admitChange(store, admitted, stored);
    return admitted;
  }
  const heading = `The ${stored.kind} ${goQuote(stored.metadata.name)} is invalid`;
  const lines = withHeading(heading, mistakes.map(formatFieldError));
  const path = mistakes[0]?.path || undefined;
  throw new PodrunError('Invalid', lines.join('\n'), { path, causes: mistakes });
}

function wrongValue(wrong: FieldError): PodrunError {
  return new PodrunError('Invalid', `The request is invalid: patch: ${formatFieldError(wrong)}`);
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
