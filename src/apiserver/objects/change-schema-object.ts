import {
  fromServer,
  goQuote,
  isSameJson,
  type KubeObject,
  PodrunError,
  qualifiedPlural,
  storageOf,
  type StoredKubeObject,
  withKeptTimes,
} from '../../api/index.ts';
import { formatFieldError, noSuchSubresource, withHeading } from '../../manifest/index.ts';
import { conflict } from '../../store/index.ts';
import { admitCustomChange } from '../custom/admit-change.ts';
import { getObject, inPlace, missingObjectError } from '../base/object-ref.ts';
import type { CustomVersion } from '../resources/served-resource.ts';
import type { ChangedObject, ChangeRequest } from './change-request.ts';
import { keepChange } from './keep-change.ts';

/**
 * Changes an object whose kind has a schema: a CustomResourceDefinition, or an object of one.
 * @throws {PodrunError} as `changeObject` does
 */
export function changeSchemaObject(request: ChangeRequest, custom: CustomVersion): ChangedObject {
  const { store, ref, subresource, isDryRun } = request;
  const { type, namespace, name } = ref;
  const isStatus = subresource === 'status';
  if (subresource !== undefined && !(isStatus && custom.hasStatus)) throw noSuchSubresource();
  const before = getObject(store, ref);
  if (before === undefined) throw missingObjectError(store, ref);
  const edit = (stored: StoredKubeObject): StoredKubeObject => admit(stored, request, custom);
  if (isDryRun) {
    const object = edit(before);
    return { object: inPlace(type, object), isChanged: object !== before };
  }
  let { resourceVersion } = before.metadata;
  const { object, isGone } = keepChange({
    store,
    resource: storageOf(type),
    key: { namespace, name },
    hasStatus: isStatus || !custom.hasStatus,
    edit: (stored) => {
      ({ resourceVersion } = stored.metadata);
      return edit(stored);
    },
  });
  return {
    object: inPlace(type, object),
    isChanged: isGone || object.metadata.resourceVersion !== resourceVersion,
  };
}

/** The object after a change: pruned, defaulted and valid. The stored object itself when nothing changes. */
function admit(
  stored: StoredKubeObject,
  { ref, subresource, change, warn, advise = warn }: ChangeRequest,
  custom: CustomVersion,
): StoredKubeObject {
  const { type, name } = ref;
  const wanted = withKeptTimes(change(shownForm(stored, ref, custom)), stored);
  const { resourceVersion } = wanted.metadata;
  if (resourceVersion && resourceVersion !== stored.metadata.resourceVersion)
    throw fromServer('Conflict', conflict(qualifiedPlural(type), name).message);
  const { object: decoded, errors: wrong, unknown } = custom.decode(wanted);
  const [first] = wrong;
  if (first !== undefined)
    throw new PodrunError('Invalid', `The request is invalid: patch: ${formatFieldError(first)}`);
  for (const path of unknown) warn(`unknown field ${goQuote(path)}`);
  const isStatus = subresource === 'status';
  const { object, errors } = admitCustomChange(custom, stored, decoded as KubeObject, isStatus);
  if (errors.length > 0) {
    const lines = withHeading(`The ${type.kind} ${goQuote(name)} is invalid`, errors.map(formatFieldError));
    throw new PodrunError('Invalid', lines.join('\n'), { path: errors[0]?.path || undefined, causes: errors });
  }
  if (!isStatus) for (const warning of custom.warnings?.(object) ?? []) advise(warning);
  return isSameJson(object, stored) ? stored : object;
}

/**
 * An object in the version in which its kind is stored now.
 * @throws {PodrunError} for an object of an older version, which only a webhook converts
 */
function shownForm(
  stored: StoredKubeObject,
  { type, name }: ChangeRequest['ref'],
  { conversion }: CustomVersion,
): StoredKubeObject {
  const { apiVersion } = type;
  if (stored.apiVersion === apiVersion) return inPlace(type, stored);
  if (conversion === undefined) return inPlace(type, { ...stored, apiVersion });
  const what = `${qualifiedPlural(type)} ${goQuote(name)} is stored as ${stored.apiVersion}, and a webhook converts it`;
  throw new PodrunError('Unsupported', what, { hint: 'Change it with kubectl while podrun serve runs.' });
}
