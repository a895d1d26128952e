import {
  formatTime,
  isProvisioned,
  PROTECTION,
  PROVISIONED_BY,
  PROVISIONER,
  type StoredKubeObject,
  type StorageVolumeAttributesClass,
} from '../../api/index.ts';
import { deleteAction, eventAction, patchAction, statusActions } from '../base/actions.ts';
import type { ControllerAction, ControllerEvent, NewObject, StoredClaim, StoredVolume } from '../base/reconcile.ts';
import * as texts from '../texts/volumes.ts';
import { classOf, findVolume, isMeantFor, mismatch } from './match-volume.ts';

/** The input of a claim's controller. What it does not need is not read. */
export interface ClaimInput {
  readonly volumes: () => readonly StoredVolume[];
  readonly volumeNamed: (name: string) => StoredVolume | undefined;
  /** True when a Pod uses the claim that has not ended. */
  readonly isUsed: () => boolean;
  /**
   * The folder for a new volume of the claim: its own folder, or with `isOld` the folder that an older podrun gave it.
   */
  readonly folder: (isOld: boolean) => string;
  readonly wallMs: number;
  /** True for a claim that is new or has changed: the reason why it waits becomes an event. */
  readonly tells: boolean;
}

/** Annotations of the volume controller. Source: component-helpers/storage/volume/pv_helpers.go. */
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';

/**
 * One stage for a claim: of the volume controller, of a provisioner, and of what protects objects in use. Source:
 * pkg/controller/volume/persistentvolume/pv_controller.go, pkg/controller/volume/pvcprotection.
 */
export function claimActions(claim: StoredClaim, input: ClaimInput): ControllerAction[] {
  const { metadata, spec } = claim;
  if (metadata.deletionTimestamp !== undefined) return input.isUsed() ? [] : withoutProtection(claim);
  if (!isProtected(claim)) return withProtection(claim);
  if (metadata.annotations?.[BIND_COMPLETED] === undefined) return bind(claim, input);
  const volume = input.volumeNamed(spec.volumeName ?? '');
  if (volume !== undefined && isMeantFor(volume, claim)) return boundPhase(claim, volume);
  if (claim.status?.phase === 'Lost') return [];
  return [...statusActions(claim, { ...claim.status, phase: 'Lost' }), event(claim, texts.claimLost())];
}

function bind(claim: StoredClaim, input: ClaimInput): ControllerAction[] {
  const { volumeName = '' } = claim.spec;
  const named = input.volumeNamed(volumeName);
  // A claim of an older podrun was bound to a folder of its own without a PersistentVolume.
  const isOld = volumeName === nameFor(claim);
  if (volumeName !== '' && named === undefined) return isOld ? provision(claim, input) : wait(claim, input);
  if (named === undefined) {
    const volume = findVolume(claim, input.volumes());
    return volume === undefined ? provisionOrWait(claim, input) : boundTo(claim, volume, input.wallMs);
  }
  const isTaken = named.spec.claimRef !== undefined && !isMeantFor(named, claim);
  if (isTaken) return wait(claim, input, texts.volumeTaken(volumeName));
  const why = mismatch(claim, named);
  if (why !== undefined && !isOld) return wait(claim, input, texts.volumeMismatch(volumeName, why));
  return boundTo(claim, named, input.wallMs);
}

/** A class of a written volume has no provisioner. */
function provisionOrWait(claim: StoredClaim, input: ClaimInput): ControllerAction[] {
  const wanted = classOf(claim);
  const isWritten = input.volumes().some((volume) => classOf(volume) === wanted && !isProvisioned(volume));
  if (wanted === '' || isWritten) return wait(claim, input, texts.noVolume());
  if (claim.spec.selector !== undefined) return wait(claim, input, texts.noVolumeWithLabels());
  return provision(claim, input);
}

const nameFor = ({ metadata }: StoredClaim): string => `pvc-${metadata.uid}`;

/** Makes a volume, as a provisioner of folders does: meant for the claim, and gone with it. */
function provision(claim: StoredClaim, { folder }: ClaimInput): ControllerAction[] {
  const { accessModes, resources, volumeMode = 'Filesystem' } = claim.spec;
  const name = nameFor(claim);
  const volume = {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { [PROVISIONED_BY]: PROVISIONER } },
    spec: {
      capacity: { storage: resources?.requests?.['storage'] ?? '0' },
      hostPath: { path: folder(claim.spec.volumeName === name), type: 'DirectoryOrCreate' },
      accessModes,
      claimRef: referenceTo(claim),
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: classOf(claim),
      volumeMode,
    },
  };
  return [{ type: 'create', object: volume as unknown as NewObject }, event(claim, texts.provisioned(name))];
}

/** Source: pv_controller.go bind: first the volume, then the claim. */
function boundTo(claim: StoredClaim, volume: StoredVolume, wallMs: number): ControllerAction[] {
  const { spec, metadata } = volume;
  const isFree = spec.claimRef === undefined;
  const mark = isFree ? { [BOUND_BY_CONTROLLER]: 'yes' } : {};
  const claimMark = claim.spec.volumeName ? {} : { [BOUND_BY_CONTROLLER]: 'yes' };
  return [
    ...(spec.claimRef?.uid === claim.metadata.uid
      ? []
      : [patchAction(volume, { metadata: { annotations: mark }, spec: { claimRef: { ...referenceTo(claim) } } })]),
    ...volumePhase(volume, 'Bound', wallMs),
    patchAction(claim, {
      metadata: { annotations: { ...claimMark, [BIND_COMPLETED]: 'yes' } },
      spec: { volumeName: metadata.name },
    }),
    ...boundPhase(claim, volume),
  ];
}

function boundPhase(claim: StoredClaim, { spec: { accessModes, capacity } }: StoredVolume): ControllerAction[] {
  return claim.status?.phase === 'Bound' ? [] : statusActions(claim, { phase: 'Bound', accessModes, capacity });
}

function referenceTo({ apiVersion, kind, metadata }: StoredClaim): NonNullable<StoredVolume['spec']['claimRef']> {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { kind, namespace, name, uid, apiVersion, resourceVersion };
}

/** The actions of a claim that waits for a volume: an event with the reason when the claim is new or has changed. */
function wait(claim: StoredClaim, { tells }: ClaimInput, why?: ControllerEvent): ControllerAction[] {
  const pending = statusActions(claim, { ...claim.status, phase: 'Pending' });
  return why === undefined || !tells ? pending : [...pending, event(claim, why)];
}

/** An object with a finalizer while it is in use. */
type Protected = StoredClaim | StoredVolume | StoredClass;
type StoredClass = StoredKubeObject & StorageVolumeAttributesClass;

/**
 * One stage for a class of attributes: it goes when no volume and no claim names it any more.
 * Source: pkg/controller/volume/vacprotection.
 */
export function classActions(attributes: StoredClass, isUsed: () => boolean): ControllerAction[] {
  if (attributes.metadata.deletionTimestamp !== undefined) return isUsed() ? [] : withoutProtection(attributes);
  return isProtected(attributes) ? [] : withProtection(attributes);
}

function isProtected({ kind, metadata }: Protected): boolean {
  const protection = PROTECTION[kind];
  return protection === undefined || (metadata.finalizers ?? []).includes(protection);
}

/** Gives back the finalizer that a client has taken away. */
function withProtection(object: Protected): ControllerAction[] {
  const finalizers = [...(object.metadata.finalizers ?? []), PROTECTION[object.kind] ?? ''];
  return [patchAction(object, { metadata: { finalizers } })];
}

/** Removes the finalizer of an object that is not in use. */
function withoutProtection(object: Protected): ControllerAction[] {
  const before = object.metadata.finalizers ?? [];
  const finalizers = before.filter((name) => name !== PROTECTION[object.kind]);
  if (finalizers.length === before.length) return [];
  return [patchAction(object, { metadata: { finalizers: finalizers.length === 0 ? null : finalizers } })];
}

/**
 * One stage for a volume without its claim: it becomes Available, or is released. A volume that podrun has made goes
 * then, if its policy says so. Source: pv_controller.go syncVolume, reclaimVolume; pkg/controller/volume/pvprotection.
 * @param claim the claim of its claimRef. Undefined: there is none
 */
export function releaseActions(
  volume: StoredVolume,
  claim: StoredClaim | undefined,
  wallMs: number,
): ControllerAction[] {
  const { spec, metadata, status } = volume;
  if (metadata.deletionTimestamp === undefined && !isProtected(volume)) return withProtection(volume);
  if (claim !== undefined && isMeantFor(volume, claim)) return [];
  const isReleased = spec.claimRef?.uid !== undefined;
  if (metadata.deletionTimestamp !== undefined) return withoutProtection(volume);
  if (!isReleased) return volumePhase(volume, 'Available', wallMs);
  if (spec.persistentVolumeReclaimPolicy !== 'Delete') return volumePhase(volume, 'Released', wallMs);
  if (isProvisioned(volume)) {
    const released = volumePhase(volume, 'Released', wallMs);
    return released.length > 0 ? released : [deleteAction(volume)];
  }
  if (status?.phase === 'Failed') return [];
  return [
    ...volumePhase(volume, 'Failed', wallMs, texts.noDeleter(metadata.name)),
    event(volume, texts.deletionFailed(metadata.name)),
  ];
}

function volumePhase(volume: StoredVolume, phase: string, wallMs: number, message?: string): ControllerAction[] {
  if (volume.status?.phase === phase) return [];
  return statusActions(volume, { phase, message, lastPhaseTransitionTime: formatTime(wallMs) });
}

function event(on: StoredClaim | StoredVolume, content: ControllerEvent): ControllerAction {
  return eventAction(on, texts.VOLUME_COMPONENT, content);
}
