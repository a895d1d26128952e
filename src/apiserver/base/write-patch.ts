import {
  applyMergePatch,
  formatSeconds,
  isSameJson,
  type JsonObject,
  removesLastFinalizer,
  resourceTypeOf,
  shapeOfType,
  type StoredKubeObject,
  trackUpdate,
  typeOfObject,
  withNullLists,
} from '../../api/index.ts';
import type { ActionTarget } from '../../controllers/index.ts';
import { conflict, type Store } from '../../store/index.ts';

/**
 * Patches an object as the API server does, without its status: a change of the spec raises the generation, and a
 * deleted object goes with its last finalizer.
 * @param plural the resource of the store. A custom kind has one that its name does not say
 * @param isFresh false when the patch was made for another state of the object
 * @throws {PodrunError} when the object is gone (NotFound), or has changed, or another one has its name (Conflict)
 */
export function writePatch(
  store: Store,
  on: ActionTarget,
  patch: JsonObject,
  {
    plural = resourceTypeOf(on).plural,
    isFresh = () => true,
    isTracked = false,
  }: {
    readonly plural?: string;
    readonly isFresh?: (stored: StoredKubeObject) => boolean;
    /** True: the controllers own the changed fields of an object that has managers. */
    readonly isTracked?: boolean;
  } = {},
): void {
  let isLast = false;
  store.change<StoredKubeObject>(plural, on, 'object', (stored) => {
    if (!isFresh(stored)) throw conflict(plural, on.name);
    const wanted = patched(stored, patch, on.uid);
    const changed = isTracked ? tracked(stored, wanted, formatSeconds(store.clock.now().wallMs)) : wanted;
    isLast = removesLastFinalizer(stored, changed);
    // The object is removed in its stored form: readers see no change before that.
    return isLast ? stored : changed;
  });
  if (isLast) store.delete(plural, on.namespace, on.name);
}

function patched(stored: StoredKubeObject, patch: JsonObject, uid: string): StoredKubeObject {
  const changed = withNullLists(applyMergePatch(stored, patch) as StoredKubeObject);
  const { generation } = stored.metadata;
  const isNewSpec = generation !== undefined && !isSameJson(countedPart(stored), countedPart(changed));
  return { ...changed, metadata: { ...changed.metadata, uid, ...(isNewSpec && { generation: generation + 1 }) } };
}

/** The object with the manager of the controllers. Objects that no client of an API server has written have none. */
function tracked(stored: StoredKubeObject, changed: StoredKubeObject, time: string): StoredKubeObject {
  if ((stored.metadata.managedFields ?? []).length === 0) return changed;
  const shape = shapeOfType(typeOfObject(changed));
  return trackUpdate(stored, changed, {
    shape,
    manager: 'kube-controller-manager',
    subresource: '',
    hasStatus: true,
    time,
  });
}

/** The part of an object whose changes are counted: of an EndpointSlice, which has no spec, all but the metadata. */
function countedPart(object: StoredKubeObject): unknown {
  return object.kind === 'EndpointSlice' ? { ...object, metadata: {} } : object['spec'];
}
