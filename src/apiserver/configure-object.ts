import { DEFAULT_NAMESPACE, resourceTypeOf, threeWayMerge } from '../api/index.ts';
import { type FileStore, withoutServerFields } from '../store/index.ts';
import { withStoredAddress } from './services/allocate.ts';
import { changeObject } from './objects/change-object.ts';
import type { ChangeRequest } from './objects/change-request.ts';
import type { ManifestObject } from '../manifest/index.ts';

/**
 * Applies a manifest to an existing object: sets its fields, removes fields that an earlier manifest had, and keeps the
 * fields of other writers.
 * @throws {PodrunError} when the rules for updates forbid the change, or the object is gone
 */
export function configureObject(
  store: FileStore,
  { object, written, file }: ManifestObject,
  { isDryRun, warn }: Pick<ChangeRequest, 'isDryRun' | 'warn'>,
): 'configured' | 'unchanged' {
  const type = resourceTypeOf(object);
  const { namespace = DEFAULT_NAMESPACE, name = '' } = object.metadata;
  const wanted = withoutServerFields(written);
  const { isChanged } = changeObject({
    store,
    ref: { type, namespace, name, file },
    isDryRun,
    warn,
    change: (stored) =>
      threeWayMerge(store.lastApplied(type.plural, stored), withStoredAddress(wanted, stored), stored),
    onAdmitted: (stored) => store.rememberApplied(type.plural, stored, wanted),
  });
  return isChanged ? 'configured' : 'unchanged';
}
