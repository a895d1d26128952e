import { isSameJson, type OwnerReference, type StoredPod } from '../../api/index.ts';
import { createAction, eventAction, patchAction } from '../base/actions.ts';
import { controllerReference, hasDeletionTimestamp } from '../base/ownership.ts';
import type { ControllerAction, StoredClaim, StoredStatefulSet } from '../base/reconcile.ts';
import { COMPONENT } from '../texts/pods.ts';
import { claimCreated } from '../texts/stateful-set.ts';

/** The claims of a StatefulSet's Pods. Source of all rules here: pkg/controller/statefulset/stateful_set_utils.go. */

export function claimName({ metadata }: StoredStatefulSet, template: string, ordinal: number): string {
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
    const told = claimCreated(name, `${metadata.name}-${ordinal}`, metadata.name);
    return [createAction(claim), eventAction(set, COMPONENT.statefulSet, told)];
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
