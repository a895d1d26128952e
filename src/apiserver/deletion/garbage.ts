import { DEFAULT_NAMESPACE, everyResourceType, type KubeObject, type WatchEvent } from '../../api/index.ts';
import {
  type ControllerAction,
  deleteAction,
  FOREGROUND_FINALIZER,
  garbageActions,
  hasDeletionTimestamp,
  ORPHAN_FINALIZER,
  type Owned,
  releaseOrphanedPods,
  type StoredJob,
} from '../../controllers/index.ts';
import { isRemnant } from '../../lifecycle/index.ts';
import type { ObjectReader } from '../../store/index.ts';
import { isPod, type ObjectCache } from '../informer/object-cache.ts';

/** True for a change after which objects may have lost their owners, or owners what they waited for. */
export function mayMakeGarbage({ type, object }: WatchEvent<Owned>, cache: ObjectCache): boolean {
  const { uid, ownerReferences = [], finalizers = [] } = object.metadata;
  const isAwaited = ownerReferences.some((reference) => {
    const owner = cache.get(reference.uid);
    return owner !== undefined && hasDeletionTimestamp(owner);
  });
  if (isAwaited) return true;
  if (type === 'DELETED') return cache.dependentsOf(uid).length > 0;
  if (isPod(object) && isRemnant(object)) return true;
  if (ownerReferences.some((reference) => cache.get(reference.uid) === undefined)) return true;
  const waits = finalizers.some((name) => name === FOREGROUND_FINALIZER || name === ORPHAN_FINALIZER);
  return waits && hasDeletionTimestamp(object);
}

/**
 * The garbage among the objects of a namespace: see controllers/garbage.
 * @param objects all workloads of the namespace, and all that they make
 * @param store has owners of other kinds
 */
export function garbageIn(objects: readonly Owned[], store: ObjectReader): ControllerAction[] {
  const pods = objects.filter(isPod);
  const jobs = objects.filter(({ kind }) => kind === 'Job') as readonly Owned[] as unknown as readonly StoredJob[];
  return [
    ...releaseOrphanedPods(pods, jobs),
    ...garbageActions([...objects, ...ownersOfOtherKinds(objects, store)]),
    ...pods.filter(isRemnant).map((pod) => deleteAction(pod)),
  ];
}

/** The owners that are not among the objects, for example a ConfigMap. An owner that cannot be looked up exists. */
function ownersOfOtherKinds(objects: readonly Owned[], store: ObjectReader): Owned[] {
  const known = new Set(objects.map(({ metadata }) => metadata.uid));
  const owners = new Map<string, Owned>();
  for (const { metadata } of objects) {
    for (const { apiVersion, kind, name, uid } of metadata.ownerReferences ?? []) {
      if (known.has(uid) || owners.has(uid)) continue;
      const place = placeOfOwner({ apiVersion, kind }, metadata.namespace, store);
      const owner = place && store.get<Owned>(place.resource, place.namespace, name);
      if (owner?.metadata.uid === uid) owners.set(uid, owner);
      else if (place === undefined) owners.set(uid, { apiVersion, kind, metadata: { ...metadata, name, uid } });
    }
  }
  return [...owners.values()];
}

/** The parts of a CustomResourceDefinition that name its kind. */
interface KindDefinition extends KubeObject {
  readonly spec: { readonly group: string; readonly scope: string; readonly names: { readonly kind: string } };
}

/**
 * The place of an owner in the store. Undefined: the store has no objects of its kind, or it is a Node, which always
 * exists.
 */
function placeOfOwner(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  namespace: string,
  store: ObjectReader,
): { readonly resource: string; readonly namespace: string } | undefined {
  if (kind === 'Node') return undefined;
  const known = everyResourceType().find((type) => type.kind === kind && type.apiVersion === apiVersion);
  if (known !== undefined) return { resource: known.plural, namespace };
  const definition = store
    .list<KindDefinition>('customresourcedefinitions')
    .find(({ spec }) => apiVersion.startsWith(`${spec.group}/`) && spec.names.kind === kind);
  if (definition === undefined) return undefined;
  const isInNamespace = definition.spec.scope === 'Namespaced';
  return { resource: definition.metadata.name ?? '', namespace: isInNamespace ? namespace : DEFAULT_NAMESPACE };
}
