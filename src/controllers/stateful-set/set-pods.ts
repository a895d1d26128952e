import { controllerOf, type PodTemplateSpec, type StoredPod, type Volume } from '../../api/index.ts';
import { podPrefix } from '../base/names.ts';
import { hasDeletionTimestamp } from '../base/ownership.ts';
import { type NewPod, podFromTemplate } from '../base/pod-from-template.ts';
import { isAvailable, isPodReady } from '../base/pod-state.ts';
import type { StoredStatefulSet } from '../base/reconcile.ts';
import { claimName } from './set-claims.ts';

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

/** A Pod that others wait for no longer. */
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

/** Volumes of claims come first, and replace those of the same name. Source: updateStorage. */
function withClaims(set: StoredStatefulSet, volumes: readonly Volume[], ordinal: number): Volume[] {
  const templates = set.spec.volumeClaimTemplates ?? [];
  const claimed = templates.map(({ metadata }): Volume => {
    const name = metadata?.name ?? '';
    return { name, persistentVolumeClaim: { claimName: claimName(set, name, ordinal) } };
  });
  const names = new Set(claimed.map(({ name }) => name));
  return [...claimed, ...volumes.filter(({ name }) => !names.has(name))];
}

/** Labels that a Pod of this name must have, and does not: it was adopted, or somebody took them away. */
export function missingIdentity({ metadata }: StoredPod, ordinal: number): Readonly<Record<string, string>> {
  const own = { [POD_NAME]: metadata.name, [POD_INDEX]: String(ordinal) };
  return Object.fromEntries(Object.entries(own).filter(([key, value]) => metadata.labels?.[key] !== value));
}
