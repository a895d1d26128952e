import {
  controllerOf,
  isSameJson,
  type OwnerReference,
  type PodTemplateSpec,
  type StoredPod,
  type Volume,
} from '../../api/index.ts';
import { createAction, eventAction, patchAction } from '../base/actions.ts';
import { podPrefix } from '../base/names.ts';
import { controllerReference, hasDeletionTimestamp } from '../base/ownership.ts';
import { isAvailable, isPodReady, type NewPod, podFromTemplate } from '../base/pod-state.ts';
import type { ControllerAction, StoredClaim, StoredStatefulSet } from '../base/reconcile.ts';
import { claimCreated, COMPONENT } from '../texts/pods.ts';

/** The Pods of a StatefulSet. Source of all rules here: pkg/controller/statefulset/stateful_set_utils.go. */
const POD_NAME = 'statefulset.kubernetes.io/pod-name';
const POD_INDEX = 'apps.kubernetes.io/pod-index';
/** The name of the ControllerRevision that a Pod was made from. */
const REVISION_LABEL = 'controller-revision-hash';

/** The number in a Pod's name. Undefined: the name is not one of this StatefulSet. Source: getParentNameAndOrdinal. */
export function ordinalOf({ metadata }: StoredStatefulSet, pod: string): number | undefined {
  const rest = pod.startsWith(`${metadata.name}-`) ? pod.slice(metadata.name.length + 1) : '';
  return /^(0|[1-9]\d*)$/.test(rest) ? Number(rest) : undefined;
}

/** True when both Pods are replicas of one StatefulSet, and the first has the higher ordinal. */
export function isLaterReplica(later: StoredPod, earlier: StoredPod): boolean {
  const [owner, other] = [controllerOf(later), controllerOf(earlier)];
  if (owner?.kind !== 'StatefulSet' || owner.uid !== other?.uid) return false;
  return replicaNumber(later) > replicaNumber(earlier);
}

function replicaNumber({ metadata }: StoredPod): number {
  return Number(/(?<!\d)\d+$/.exec(metadata.name)?.[0] ?? 0);
}

/** The first ordinal, and the one after the last. */
export function ordinalRange({ spec }: StoredStatefulSet): { readonly start: number; readonly end: number } {
  const start = spec.ordinals?.start ?? 0;
  return { start, end: start + (spec.replicas ?? 1) };
}

export function revisionOfPod({ metadata }: StoredPod): string | undefined {
  return metadata.labels?.[REVISION_LABEL];
}

/** A Pod that runs and serves; one that is being deleted may do so, too. */
export function isRunningAndReady(pod: StoredPod): boolean {
  return pod.status.phase === 'Running' && isPodReady(pod);
}

/** True when the Pods after this one need not wait for it. */
export function isHealthy({ spec }: StoredStatefulSet, pod: StoredPod, nowMs: number): boolean {
  return isRunningAndReady(pod) && !hasDeletionTimestamp(pod) && isAvailable(pod, spec.minReadySeconds, nowMs);
}

/** The Pod of an ordinal. Source: newStatefulSetPod, updateIdentity. */
export function newSetPod(
  set: StoredStatefulSet,
  template: PodTemplateSpec,
  ordinal: number,
  revision: string,
): NewPod {
  const name = `${set.metadata.name}-${ordinal}`;
  const pod = podFromTemplate(set, template, { name, generateName: podPrefix(set.metadata.name) });
  const own = { [POD_NAME]: name, [POD_INDEX]: String(ordinal), [REVISION_LABEL]: revision };
  const volumes = withClaims(set, pod.spec.volumes ?? [], ordinal);
  const { serviceName } = set.spec;
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: { ...pod.metadata.labels, ...own } },
    spec: {
      ...pod.spec,
      hostname: name,
      ...(serviceName === undefined ? {} : { subdomain: serviceName }),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  };
}

/** Volumes of claims come first, and replace volumes of the same name. Source: updateStorage. */
function withClaims(set: StoredStatefulSet, volumes: readonly Volume[], ordinal: number): Volume[] {
  const templates = set.spec.volumeClaimTemplates ?? [];
  const claimed = templates.map(({ metadata }): Volume => {
    const name = metadata?.name ?? '';
    return { name, persistentVolumeClaim: { claimName: claimName(set, name, ordinal) } };
  });
  const names = new Set(claimed.map(({ name }) => name));
  return [...claimed, ...volumes.filter(({ name }) => !names.has(name))];
}

/** Labels that a Pod of this name must have, and does not: it was adopted, or the labels were removed. */
export function missingIdentity({ metadata }: StoredPod, ordinal: number): Readonly<Record<string, string>> {
  const own = { [POD_NAME]: metadata.name, [POD_INDEX]: String(ordinal) };
  return Object.fromEntries(Object.entries(own).filter(([key, value]) => metadata.labels?.[key] !== value));
}

/** The claims of a StatefulSet's Pods. Source of all rules here: pkg/controller/statefulset/stateful_set_utils.go. */
function claimName({ metadata }: StoredStatefulSet, template: string, ordinal: number): string {
  return `${template}-${metadata.name}-${ordinal}`;
}

/** The claims of an ordinal that exist. */
function claimsOf(set: StoredStatefulSet, ordinal: number, claims: readonly StoredClaim[]): StoredClaim[] {
  const names = new Set(
    (set.spec.volumeClaimTemplates ?? []).map(({ metadata }) => claimName(set, metadata?.name ?? '', ordinal)),
  );
  return claims.filter(({ metadata }) => names.has(metadata.name));
}

/** True when a claim of this ordinal is about to go: its Pod must wait for a new one. Source: PodClaimIsStale. */
export function hasStaleClaim(set: StoredStatefulSet, ordinal: number, claims: readonly StoredClaim[]): boolean {
  return claimsOf(set, ordinal, claims).some(hasDeletionTimestamp);
}

/** Makes the claims of a Pod that do not exist yet. Source: createMissingPersistentVolumeClaims. */
export function missingClaims(
  set: StoredStatefulSet,
  ordinal: number,
  claims: readonly StoredClaim[],
): ControllerAction[] {
  const { metadata, spec } = set;
  const existing = new Set(claimsOf(set, ordinal, claims).map(({ metadata: { name } }) => name));
  const ownerReferences = wantedOwners(set, undefined);
  return (spec.volumeClaimTemplates ?? []).flatMap((template) => {
    const name = claimName(set, template.metadata?.name ?? '', ordinal);
    if (existing.has(name)) return [];
    const { annotations, labels } = template.metadata ?? {};
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {
        name,
        namespace: metadata.namespace,
        labels: { ...labels, ...spec.selector?.matchLabels },
        ...(annotations === undefined ? {} : { annotations }),
        ...(ownerReferences.length === 0 ? {} : { ownerReferences }),
      },
      spec: template.spec,
    };
    const event = claimCreated(name, `${metadata.name}-${ordinal}`, metadata.name);
    return [createAction(claim), eventAction(set, COMPONENT.statefulSet, event)];
  });
}

/**
 * Gives the claims of a Pod the owners that the retention policy wants: the StatefulSet, if they are to go with it; the
 * Pod, if they are to go with a Pod that is too many. A claim of another controller is left alone. Source:
 * updateClaimOwnerRefForSetAndPod, hasUnexpectedController.
 * @param condemned the Pod, when it is beyond the range
 */
export function retainedClaims(
  set: StoredStatefulSet,
  ordinal: number,
  claims: readonly StoredClaim[],
  condemned?: StoredPod,
): ControllerAction[] {
  if (set.spec.persistentVolumeClaimRetentionPolicy === undefined) return [];
  const wanted = wantedOwners(set, condemned);
  return claimsOf(set, ordinal, claims).flatMap((claim) => {
    const owners = claim.metadata.ownerReferences ?? [];
    const others = owners.filter(({ kind, uid }) => uid !== set.metadata.uid && kind !== 'Pod');
    if (others.some(({ controller }) => controller === true)) return [];
    const ownerReferences = [...others, ...wanted];
    if (isSameJson(owners, ownerReferences)) return [];
    return [
      patchAction(claim, { metadata: { ownerReferences: ownerReferences.length === 0 ? null : ownerReferences } }),
    ];
  });
}

function wantedOwners(set: StoredStatefulSet, condemned: StoredPod | undefined): OwnerReference[] {
  const { whenDeleted, whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  if (condemned !== undefined && whenScaled === 'Delete') return [controllerReference(condemned)];
  return whenDeleted === 'Delete' ? [controllerReference(set)] : [];
}
