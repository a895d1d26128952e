import { recordBudgetEvents } from '../deletion/evict-pod.ts';
import { concernsVolumes, settleVolumes } from '../volumes/settle-volumes.ts';
import { keyOf, newUid, type Store } from '../../store/index.ts';
import { admitNew } from '../admission/admit-new.ts';
import { type KubeObject, resourceTypeOf, type StoredKubeObject, type StoredPod } from '../../api/index.ts';
import { asCreated } from '../../manifest/index.ts';
import { allocated, settleBalancer } from '../services/allocate.ts';
import { withReadyRange } from '../services/service-ranges.ts';

/**
 * Stores a new object as the API server does: admitted, with the selector of a Job, with the first status.
 * @param object defaulted, valid and prepared as a new object: see prepareForCreate
 * @param how `startPod`: stores a new Pod in another way, owned by the agent that runs it. `newUid`: makes its uid
 * @throws {PodrunError} when an object with this name exists, or a quota or LimitRange forbids the new one
 */
export function createObject(
  store: Store,
  object: KubeObject,
  how: { readonly startPod?: ((pod: KubeObject) => StoredPod) | undefined; readonly newUid?: () => string } = {},
): StoredKubeObject {
  const { startPod } = how;
  const { plural } = resourceTypeOf(object);
  const asNew = newObject(store, object, how.newUid);
  if (object.kind === 'Pod' && startPod !== undefined) return startPod(asNew) as unknown as StoredKubeObject;
  const created = store.create(plural, asNew) as StoredKubeObject;
  recordBudgetEvents(store, created);
  settleBalancer(store, undefined, created);
  if (concernsVolumes(created)) settleVolumes(store, created);
  else if (created.kind !== 'Service') return created;
  return store.get<StoredKubeObject>(plural, keyOf(created).namespace, created.metadata.name) ?? created;
}

/**
 * The object as `createObject` would store it.
 * @throws {PodrunError} as `createObject` does, but for a name that is taken
 */
export function newObject<T extends KubeObject>(store: Store, object: T, uidOf: () => string = newUid): T {
  const ready = withReadyRange(allocated(store, object), store.clock.now().wallMs);
  return asCreated(admitNew(store.recent, ready), uidOf);
}
