import {
  DEFAULT_NAMESPACE,
  formatSeconds,
  type KubeObject,
  resourceTypeOf,
  shapeOfType,
  type StoredKubeObject,
  threeWayMerge,
  trackUpdate,
  typeOfObject,
} from '../api/index.ts';
import { type FileStore, withoutServerFields } from '../store/index.ts';
import { withStoredAddress } from './services/allocate.ts';
import { changeObject } from './objects/change-object.ts';
import type { ChangeRequest } from './objects/change-request.ts';
import type { ManifestObject } from '../manifest/index.ts';
import { CLIENT_SIDE } from './base/manifest-manager.ts';

/** The manager of `kubectl apply --server-side`: it keeps the last manifest for an apply without the flag. */
const SERVER_SIDE = 'kubectl';

/**
 * Applies a manifest to an existing object: sets its fields, removes fields that an earlier manifest had, and keeps the
 * fields of other writers.
 * @throws {PodrunError} when the rules for updates forbid the change, the object is gone, or with a server-side apply,
 * other managers own fields with other values
 */
export function configureObject(
  store: FileStore,
  { object, written, file, manager, merge }: ManifestObject,
  { isDryRun, warn }: Pick<ChangeRequest, 'isDryRun' | 'warn'>,
): 'configured' | 'unchanged' | 'serverside-applied' {
  const type = resourceTypeOf(object);
  const { namespace = DEFAULT_NAMESPACE, name = '' } = object.metadata;
  const wanted = withoutServerFields(written);
  const time = formatSeconds(store.clock.now().wallMs);
  const { isChanged } = changeObject({
    store,
    ref: { type, namespace, name, file },
    isDryRun,
    warn,
    change: (stored) => {
      const last = store.lastApplied(type.plural, stored);
      const next = withStoredAddress(wanted, stored);
      return merge?.({ stored, last }, next) ?? tracked(stored, threeWayMerge(last, next, stored), { manager, time });
    },
    onAdmitted: (stored) => {
      if (merge === undefined || manager === SERVER_SIDE) store.rememberApplied(type.plural, stored, wanted);
    },
  });
  if (merge !== undefined) return 'serverside-applied';
  return isChanged ? 'configured' : 'unchanged';
}

/** The changed object with its manager. Without `--field-manager`, objects that have no managers get none. */
function tracked(
  stored: StoredKubeObject,
  changed: KubeObject,
  { manager, time }: { readonly manager: string | undefined; readonly time: string },
): KubeObject {
  if (manager === undefined && (stored.metadata.managedFields ?? []).length === 0) return changed;
  const shape = shapeOfType(typeOfObject(stored));
  return trackUpdate(stored, changed, {
    shape,
    manager: manager ?? CLIENT_SIDE,
    subresource: '',
    hasStatus: true,
    time,
  });
}
