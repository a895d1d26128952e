import { priorityOf } from './priority.ts';
import type { StoredPod } from '../../api/index.ts';
import { noNode, PREEMPTION } from '../texts/scheduling.ts';

/** The Pods that go, at least one, or the reason why none goes: the end of the message of the waiting Pod. */
export type Preemption = { readonly victims: readonly StoredPod[] } | { readonly none: string };

/**
 * Chooses the Pods that make room for a Pod of higher priority: as few as possible, the least important first. Source:
 * pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go SelectVictimsOnNode,
 * PodEligibleToPreemptOthers.
 * @param placed the Pods of the node
 * @param misfitsBeside the reasons why the Pod does not fit beside these Pods; none: it fits
 */
export function preempt(
  pod: StoredPod,
  placed: readonly StoredPod[],
  misfitsBeside: (others: readonly StoredPod[]) => readonly string[],
): Preemption {
  if (pod.spec.preemptionPolicy === 'Never') return { none: PREEMPTION.never };
  const isLower = (other: StoredPod): boolean => priorityOf(other) < priorityOf(pod);
  const lower = placed.filter(isLower);
  if (lower.some(({ metadata }) => metadata.deletionTimestamp !== undefined)) return { none: PREEMPTION.underWay };
  if (lower.length === 0) return { none: PREEMPTION.noVictims };
  const staying = placed.filter((other) => !isLower(other));
  const lasting = misfitsBeside(staying);
  if (lasting.length > 0) return { none: noNode(lasting) };
  const victims: StoredPod[] = [];
  for (const other of lower.toSorted(byImportance)) {
    staying.push(other);
    if (misfitsBeside(staying).length === 0) continue;
    staying.pop();
    victims.push(other);
  }
  return { victims };
}

/** By priority, the highest first, then by start, the earliest first. Source: pkg/scheduler/util/utils.go. */
function byImportance(one: StoredPod, other: StoredPod): number {
  return (
    priorityOf(other) - priorityOf(one) || (one.status.startTime ?? '').localeCompare(other.status.startTime ?? '')
  );
}
