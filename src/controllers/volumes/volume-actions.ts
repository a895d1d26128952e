import {
  formatTime,
  isProvisioned,
  PROTECTION,
  PROVISIONED_BY,
  makesVolumes,
  PROVISIONER,
  SELECTED_NODE,
  type StorageStorageClass,
  type StoredKubeObject,
  type StorageVolumeAttributesClass,
  waitsForPod,
} from '../../api/index.ts';
import { isMeantFor, storageClassOf, volumeMismatch } from '../../lifecycle/index.ts';
import { deleteAction, eventAction, patchAction, statusActions } from '../base/actions.ts';
import type { ControllerAction, ControllerEvent, NewObject, StoredClaim, StoredVolume } from '../base/reconcile.ts';
import * as texts from '../texts/volumes.ts';
import { findVolume } from './match-volume.ts';

/** The input of a claim's controller. What it does not need is not read. */
export interface ClaimInput {
  readonly volumes: () => readonly StoredVolume[];
  readonly volumeNamed: (name: string) => StoredVolume | undefined;
  /** The class of this name. Undefined: it is not stored, and makes folders. */
  readonly classNamed: (name: string) => StorageStorageClass | undefined;
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
    const type = input.classNamed(storageClassOf(claim) ?? '');
    const isLate = type !== undefined && waitsForPod(type);
    const volume = findVolume(claim, input.volumes(), isLate);
    if (volume !== undefined) return boundTo(claim, volume, input.wallMs);
    const isPlaced = claim.metadata.annotations?.[SELECTED_NODE] !== undefined;
    return isLate && !isPlaced ? wait(claim, input, texts.noConsumer()) : provisionOrWait(claim, type, input);
  }
  const isTaken = named.spec.claimRef !== undefined && !isMeantFor(named, claim);
  if (isTaken) return wait(claim, input, texts.volumeTaken(volumeName));
  const why = volumeMismatch(claim, named);
  if (why !== undefined && !isOld) return wait(claim, input, texts.volumeMisfit(volumeName, why));
  return boundTo(claim, named, input.wallMs);
}

/** A class that is not stored makes volumes unless a written volume has it. */
function provisionOrWait(
  claim: StoredClaim,
  type: StorageStorageClass | undefined,
  input: ClaimInput,
): ControllerAction[] {
  const wanted = storageClassOf(claim);
  if (type !== undefined && !makesVolumes(type)) return wait(claim, input, texts.noProvisioner(type.provisioner));
  const isWritten =
    type === undefined && input.volumes().some((volume) => storageClassOf(volume) === wanted && !isProvisioned(volume));
  if (wanted === '' || isWritten) return wait(claim, input, texts.noVolume());
  if (claim.spec.selector !== undefined) return wait(claim, input, texts.noVolumeWithLabels());
  return provision(claim, input, type);
}

const nameFor = ({ metadata }: StoredClaim): string => `pvc-${metadata.uid}`;

/** Makes a volume, as a provisioner of folders does: meant for the claim, and gone with it. */
function provision(claim: StoredClaim, { folder }: ClaimInput, type?: StorageStorageClass): ControllerAction[] {
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
      persistentVolumeReclaimPolicy: type?.reclaimPolicy ?? 'Delete',
      storageClassName: storageClassOf(claim),
      volumeMode,
      nodeAffinity: type && affinityTo(type),
    },
  };
  return [{ type: 'create', object: volume as unknown as NewObject }, event(claim, texts.provisioned(name))];
}

/**
 * The choice of the scheduler for a claim that waits for its first Pod, for the volume controller.
 * @param volume undefined: a volume is to be made for the node
 */
export function placeClaim(claim: StoredClaim, nodeName: string, volume: StoredVolume | undefined): ControllerAction[] {
  if (volume !== undefined) return keepVolume(volume, claim);
  return [patchAction(claim, { metadata: { annotations: { [SELECTED_NODE]: nodeName } } })];
}

/** The nodes of a class that makes volumes for some places alone. */
function affinityTo({ allowedTopologies = [] }: StorageStorageClass): StoredVolume['spec']['nodeAffinity'] {
  if (allowedTopologies.length === 0) return undefined;
  const nodeSelectorTerms = allowedTopologies.map(({ matchLabelExpressions = [] }) => ({
    matchExpressions: matchLabelExpressions.map(({ key = '', values = [] }) => ({
      key,
      operator: 'In' as const,
      values,
    })),
  }));
  return { required: { nodeSelectorTerms } };
}

/** Keeps a volume for a claim. None when it is the claim's already. Source: component-helpers, GetBindVolumeToClaim. */
function keepVolume(volume: StoredVolume, claim: StoredClaim): ControllerAction[] {
  const { claimRef } = volume.spec;
  if (claimRef?.uid === claim.metadata.uid) return [];
  const annotations = claimRef === undefined ? { [BOUND_BY_CONTROLLER]: 'yes' } : {};
  return [patchAction(volume, { metadata: { annotations }, spec: { claimRef: { ...referenceTo(claim) } } })];
}

/** Source: pv_controller.go bind: first the volume, then the claim. */
function boundTo(claim: StoredClaim, volume: StoredVolume, wallMs: number): ControllerAction[] {
  const claimMark = claim.spec.volumeName ? {} : { [BOUND_BY_CONTROLLER]: 'yes' };
  return [
    ...keepVolume(volume, claim),
    ...volumePhase(volume, 'Bound', wallMs),
    patchAction(claim, {
      metadata: { annotations: { ...claimMark, [BIND_COMPLETED]: 'yes' } },
      spec: { volumeName: volume.metadata.name },
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
