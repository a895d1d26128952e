import {
  isTerminalPhase,
  type ObjectMeta,
  parseTime,
  type PodCondition,
  type PodSpec,
  type PodTemplateSpec,
  type StoredPod,
} from '../../api/index.ts';
import { controllerReference, hasDeletionTimestamp } from './ownership.ts';
import type { NewObject, Owned } from './reconcile.ts';

/**
 * The states of Pods that controllers tell apart. Source: pkg/controller/controller_utils.go, pkg/api/v1/pod/util.go.
 */

/** True for a Pod that has not ended and is not being deleted. */
export function isActive(pod: StoredPod): boolean {
  return !isTerminalPhase(pod.status.phase) && !hasDeletionTimestamp(pod);
}

/** True for a Pod that is being deleted and has not ended. */
export function isTerminating(pod: StoredPod): boolean {
  return !isTerminalPhase(pod.status.phase) && hasDeletionTimestamp(pod);
}

export function isPodReady(pod: StoredPod): boolean {
  return readyConditionOf(pod)?.status === 'True';
}

export function readyConditionOf(pod: StoredPod): PodCondition | undefined {
  return pod.status.conditions?.find(({ type }) => type === 'Ready');
}

/** True for a Pod that has been ready for long enough. */
export function isAvailable(pod: StoredPod, minReadySeconds: number | undefined, nowMs: number): boolean {
  const fromMs = availableFromMs(pod, minReadySeconds);
  return fromMs !== undefined && fromMs <= nowMs;
}

/** The time from which a ready Pod is available. Undefined for a Pod that is not ready. */
function availableFromMs(pod: StoredPod, minReadySeconds = 0): number | undefined {
  const ready = readyConditionOf(pod);
  if (ready?.status !== 'True') return undefined;
  if (minReadySeconds === 0) return 0;
  return parseTime(ready.lastTransitionTime ?? '') + minReadySeconds * 1000;
}

/** The next time at which a ready Pod becomes available. Undefined: no Pod waits for that. */
export function nextAvailableMs(
  pods: readonly StoredPod[],
  minReadySeconds: number | undefined,
  nowMs: number,
): number | undefined {
  const times = pods.map((pod) => availableFromMs(pod, minReadySeconds)).filter((time) => time !== undefined);
  return earliest(times.filter((time) => time > nowMs));
}

/** The earliest of some times. Undefined when there are none. */
export function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/**
 * A Pod of a template: its labels, annotations, finalizers and spec, and the owner. Nothing of the owner's metadata.
 * Source: pkg/controller/controller_utils.go GetPodFromTemplate.
 * @param name the name, and the prefix it was generated from
 */
export function podFromTemplate(
  owner: Owned,
  template: PodTemplateSpec | undefined,
  name: { readonly name: string; readonly generateName: string },
): NewPod {
  const { labels, annotations, finalizers } = template?.metadata ?? {};
  const lists = { labels, annotations, finalizers };
  const given = Object.fromEntries(Object.entries(lists).filter(([, value]) => value !== undefined));
  const { namespace } = owner.metadata;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...name, namespace, ...given, ownerReferences: [controllerReference(owner)] },
    spec: template?.spec ?? { containers: [] },
  };
}

export interface NewPod extends NewObject {
  readonly kind: 'Pod';
  readonly metadata: ObjectMeta & { readonly name: string; readonly namespace: string };
  readonly spec: PodSpec;
}
