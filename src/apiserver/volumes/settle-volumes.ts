import {
  DEFAULT_NAMESPACE,
  hasCode,
  isTerminalPhase,
  type KubeObject,
  PROTECTION,
  resourceTypeOf,
  type StorageStorageClass,
  type StoredKubeObject,
  type StoredPod,
  type StorageVolumeAttributesClass,
} from '../../api/index.ts';
import {
  claimActions,
  classActions,
  type ControllerAction,
  placeClaim,
  releaseActions,
  type StoredClaim,
  type StoredVolume,
} from '../../controllers/index.ts';
import type { VolumeChoice } from '../../lifecycle/index.ts';
import { asCreated } from '../../manifest/index.ts';
import type { ObjectKey, ObjectReader, Store } from '../../store/index.ts';
import { EventRecorder } from '../base/event-recorder.ts';
import { writePatch } from '../base/write-patch.ts';
import { loneOf } from '../base/lone-store.ts';

/** A claim or volume reaches its state in fewer stages. */
const STAGES_MAX = 10;

/** True for an object after whose change there is something to settle. */
export function concernsVolumes({ kind }: { readonly kind: string }): boolean {
  return Object.hasOwn(PROTECTION, kind) || kind === 'StorageClass';
}

/**
 * Does what a volume controller does after the change of an object: binds claims to volumes, makes missing volumes, and
 * releases and removes volumes without their claims. Every writer of a claim or volume calls it, so no process has to
 * wait for that. Objects of other kinds change nothing.
 * @throws {PodrunError} when the store cannot be written to
 */
export function settleVolumes(store: Store, object: KubeObject): void {
  if (loneOf(store) !== undefined) return;
  if (object.kind === 'PersistentVolumeClaim') settleClaim(store, object as StoredClaim, true);
  if (concernsVolumes(object)) settleClasses(store);
  if (object.kind === 'PersistentVolume') settleVolume(store, object.metadata.name ?? '');
  else if (object.kind !== 'StorageClass') return;
  // Other claims may wait for a new or released volume, and for a class that makes one.
  const claims = store.list<StoredClaim & KubeObject>('persistentvolumeclaims');
  for (const claim of claims) if (claim.status?.phase !== 'Bound') settleClaim(store, claim, false);
}

/**
 * Gives claims that wait for their first Pod the volumes that the scheduler has chosen on its node: it keeps a volume
 * for the claim, or has one made there, and the volume controller binds it. Source:
 * pkg/scheduler/framework/plugins/volumebinding/binder.go bindAPIUpdate.
 * @throws {PodrunError} when the store cannot be written to
 */
export function bindVolumes(store: Store, nodeName: string, choices: readonly VolumeChoice[]): void {
  for (const { claim, volume } of choices) {
    carryOut(store, placeClaim(claim, nodeName, volume));
    settleClaim(store, claim, true);
  }
}

/**
 * Binds the claims of a Pod that a killed process has left. Removes the deleted claims that the Pod, which has ended or
 * is gone, was the last one to use.
 */
export function settleClaimsOf(store: Store, { metadata: { namespace }, spec }: StoredPod): void {
  if (loneOf(store) !== undefined) return;
  for (const { persistentVolumeClaim } of spec.volumes ?? []) {
    const name = persistentVolumeClaim?.claimName ?? '';
    const claim = name === '' ? undefined : claimNamed(store, { namespace, name });
    if (claim !== undefined) settleClaim(store, claim, false);
  }
}

/**
 * Settles what a process left that was killed between the change of a claim or volume and its consequences.
 * @throws {PodrunError} when the store cannot be written to
 */
export function settleAllVolumes(store: Store): void {
  const volumes = store.list<StoredVolume & KubeObject>('persistentvolumes');
  for (const { metadata } of volumes) settleVolume(store, metadata.name);
  for (const claim of store.list<StoredClaim & KubeObject>('persistentvolumeclaims')) settleClaim(store, claim, false);
}

/** @param tells true: the reason why the claim waits becomes an event */
function settleClaim(store: Store, { metadata }: StoredClaim, tells: boolean): void {
  let last: StoredClaim | undefined;
  for (let stage = 0; stage < STAGES_MAX; stage += 1) {
    const claim = claimNamed(store, metadata);
    if (claim === undefined) return settleVolume(store, last?.spec.volumeName ?? '');
    last = claim;
    const actions = claimActions(claim, {
      volumes: () => store.list<StoredVolume & KubeObject>('persistentvolumes'),
      volumeNamed: (name) => volumeNamed(store, name),
      classNamed: (name) => classNamed(store, name),
      isUsed: () => isUsed(store, claim),
      folder: (isOld) => store.claimFolder(metadata, isOld),
      wallMs: store.clock.now().wallMs,
      tells: tells && stage === 0,
    });
    if (!carryOut(store, actions)) return;
  }
}

function settleVolume(store: Store, name: string): void {
  for (let stage = 0; stage < STAGES_MAX; stage += 1) {
    const volume = volumeNamed(store, name);
    if (volume === undefined) return;
    const { namespace = '', name: claimName = '' } = volume.spec.claimRef ?? {};
    const claim = claimName === '' ? undefined : claimNamed(store, { namespace, name: claimName });
    if (!carryOut(store, releaseActions(volume, claim, store.clock.now().wallMs))) return;
  }
}

/** The resource of the store: a name that the kind does not say. */
const CLASSES = 'volumeattributesclasses';

function settleClasses(store: Store): void {
  for (const attributes of store.list<StoredKubeObject & StorageVolumeAttributesClass>(CLASSES)) {
    const { name } = attributes.metadata;
    const isNamed = ({ spec }: StoredClaim | StoredVolume): boolean => spec.volumeAttributesClassName === name;
    const isCurrent = ({ status }: StoredClaim): boolean => status?.currentVolumeAttributesClassName === name;
    const isInUse = (): boolean =>
      store.list<StoredVolume & KubeObject>('persistentvolumes').some(isNamed) ||
      store.list<StoredClaim & KubeObject>('persistentvolumeclaims').some((one) => isNamed(one) || isCurrent(one));
    carryOut(store, classActions(attributes, isInUse), CLASSES);
  }
}

function claimNamed(store: Store, { namespace, name }: ObjectKey): StoredClaim | undefined {
  return store.get<StoredClaim & KubeObject>('persistentvolumeclaims', namespace, name);
}

function volumeNamed(store: Store, name: string): StoredVolume | undefined {
  if (name === '') return undefined;
  return store.get<StoredVolume & KubeObject>('persistentvolumes', DEFAULT_NAMESPACE, name);
}

function classNamed(store: Store, name: string): StorageStorageClass | undefined {
  if (name === '') return undefined;
  return store.get<StoredKubeObject & StorageStorageClass>('storageclasses', DEFAULT_NAMESPACE, name);
}

/** Source: pkg/controller/volume/pvcprotection/pvc_protection_controller.go podUsesPVC. */
function isUsed(store: Store, { metadata }: StoredClaim): boolean {
  return podsThatUse(store, metadata).length > 0;
}

/** The Pods on a node that have not ended and mount the claim: it stays as long as they do. */
export function podsThatUse(store: ObjectReader, { namespace, name }: ObjectKey): StoredPod[] {
  return store
    .list<StoredPod>('pods', { namespace })
    .filter(
      ({ spec, status }) =>
        spec.nodeName !== undefined &&
        !isTerminalPhase(status.phase) &&
        (spec.volumes ?? []).some(({ persistentVolumeClaim: claim }) => claim?.claimName === name),
    );
}

/** Carries actions out. False when there is no write among them, or another process was faster. */
function carryOut(store: Store, actions: readonly ControllerAction[], plural?: string): boolean {
  try {
    for (const action of actions) act(store, action, plural);
    return actions.some(({ type }) => type !== 'event');
  } catch (error) {
    if (hasCode(error, 'Conflict') || hasCode(error, 'NotFound') || hasCode(error, 'AlreadyExists')) return false;
    throw error;
  }
}

function act(store: Store, action: ControllerAction, resource?: string): void {
  if (action.type === 'create') {
    // The store gives the volume its uid.
    const created = asCreated(action.object as KubeObject, () => '');
    store.create(resourceTypeOf(created).plural, created);
    return;
  }
  const plural = resource ?? resourceTypeOf(action.on).plural;
  const on = { ...action.on, namespace: action.on.namespace ?? DEFAULT_NAMESPACE };
  if (action.type === 'delete') store.delete(plural, on.namespace, on.name);
  else if (action.type === 'event') {
    const { component, event } = action;
    const about = store.get<StoredClaim & KubeObject>(plural, on.namespace, on.name);
    const recorder = new EventRecorder({ store, clock: store.clock, controller: component, onEvent: () => undefined });
    if (about !== undefined) recorder.record(about, [event]);
  } else {
    const { patch, status } = action;
    if (patch !== undefined) writePatch(store, on, patch, { plural, isTracked: true });
    if (status !== undefined) store.change(plural, on, 'status', (stored) => ({ ...stored, status }));
  }
}
