import type { StoredPod } from '../../../../src/api/base/objects.ts';
import type { StoredStatefulSet } from '../../../../src/controllers/base/reconcile.ts';
import type { WorkloadEntry } from '../workload-entry.ts';
import {
  isActive,
  isAvailable,
  isCreation,
  isDeletionByAgent,
  isReady,
  versionOf,
  type WorkloadPast,
} from '../workload-past.ts';

const ordinalOf = ({ metadata }: Pick<StoredPod, 'metadata'>): number => Number(metadata.name.slice('web-'.length));

function rangeOf({ spec }: StoredStatefulSet): { readonly start: number; readonly end: number } {
  const { start = 0 } = spec.ordinals ?? {};
  return { start, end: start + (spec.replicas ?? 1) };
}

const setOf = ({ lastRoot }: WorkloadPast): StoredStatefulSet => lastRoot as unknown as StoredStatefulSet;
const isOrdered = ({ spec }: StoredStatefulSet): boolean => spec.podManagementPolicy === 'OrderedReady';

export function aSetMakesOnlyPodsOfItsRange(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (!isCreation(entry, 'Pod')) return undefined;
  const { start, end } = rangeOf(setOf(past));
  const ordinal = ordinalOf(entry.object);
  return ordinal >= start && ordinal < end ? undefined : `${entry.object.metadata.name} outside of ${start} to ${end}`;
}

/** In order, a Pod is made when all below it are ready. */
export function aSetMakesPodsInOrder(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (!isCreation(entry, 'Pod') || !isOrdered(setOf(past))) return undefined;
  const { start } = rangeOf(setOf(past));
  const ready = new Set(
    past
      .pods()
      .filter((pod) => isActive(pod) && isReady(pod))
      .map(ordinalOf),
  );
  const ordinal = ordinalOf(entry.object);
  const missing = Array.from({ length: ordinal - start }, (_, index) => start + index).find((one) => !ready.has(one));
  return missing === undefined ? undefined : `web-${ordinal} before web-${missing} is ready`;
}

/** In order, the highest Pod goes first, and when it is gone the next one. */
export function aSetShrinksFromAbove(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (!isDeletionByAgent(entry) || !past.isKept || !isOrdered(setOf(past))) return undefined;
  const { end } = rangeOf(setOf(past));
  const ordinal = ordinalOf(entry.object);
  const above = past.pods().find((pod) => ordinalOf(pod) > ordinal);
  return ordinal >= end && above !== undefined ? `web-${ordinal} before ${above.metadata.name}` : undefined;
}

/**
 * A Pod that could stay goes only for an update: one that is not of the new template, not below the partition, and
 * while all others are available.
 */
export function aSetUpdatesOnePodAtATime(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (!isDeletionByAgent(entry) || !past.isKept || !isActive(entry.before as unknown as StoredPod)) return undefined;
  const { spec } = setOf(past);
  const { start, end } = rangeOf(setOf(past));
  const ordinal = ordinalOf(entry.object);
  if (ordinal < start || ordinal >= end) return undefined;
  const { name } = entry.object.metadata;
  if (spec.updateStrategy?.type === 'OnDelete') return `${name} with OnDelete`;
  if (versionOf(entry.object) === versionOf(spec.template)) return `${name} is up to date`;
  if (ordinal < start + (spec.updateStrategy?.rollingUpdate?.partition ?? 0)) return `${name} is below the partition`;
  const { minReadySeconds = 0 } = spec;
  const others = past.pods().filter((pod) => isActive(pod) && isAvailable(pod, minReadySeconds, past.wallMs));
  const higher = others.filter((pod) => ordinalOf(pod) > ordinal && ordinalOf(pod) < end);
  return higher.length < end - 1 - ordinal ? `${name} while only ${higher.length} above it are available` : undefined;
}

/**
 * True for two Pods or more beyond the range that have ended: in order, the higher one waits for ever until the lower
 * one is healthy, also in a cluster. Source: pkg/controller/statefulset/stateful_set_control.go processCondemned.
 */
function isStuck(past: WorkloadPast): boolean {
  const { end } = rangeOf(setOf(past));
  const condemned = past.pods().filter((pod) => ordinalOf(pod) >= end);
  return isOrdered(setOf(past)) && condemned.length > 1 && condemned.every((pod) => !isActive(pod));
}

export function setsRestWithTheirPods(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (entry.type !== 'rest' || !past.isKept || isStuck(past)) return undefined;
  const set = setOf(past);
  const { spec, status } = set;
  const { start, end } = rangeOf(set);
  const pods = past.pods().toSorted((a, b) => ordinalOf(a) - ordinalOf(b));
  const ordinals = pods.map(ordinalOf);
  const counts = [status?.replicas, status?.readyReplicas, status?.availableReplicas].map((count) => count ?? 0);
  const isRight =
    status?.observedGeneration === set.metadata.generation &&
    counts.every((count) => count === end - start) &&
    ordinals.length === end - start &&
    ordinals.every((ordinal, index) => ordinal === start + index) &&
    pods.every(isReady);
  if (!isRight) return `${ordinals.join(', ')} for ${start} to ${end}: ${JSON.stringify(status)}`;
  if (spec.updateStrategy?.type === 'OnDelete') return undefined;
  const partition = spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  if (partition === 0 && status?.currentRevision !== status?.updateRevision) return `from ${status?.currentRevision}`;
  const old = pods.find((pod) => ordinalOf(pod) >= start + partition && versionOf(pod) !== versionOf(spec.template));
  return old && `${old.metadata.name} is of version ${versionOf(old)}`;
}

/** Each Pod has its claim. Those of a set that is gone are gone with it, if it says so. */
export function claimsAreThereForEachPod(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  const set = setOf(past);
  if (set.spec.volumeClaimTemplates === undefined) return undefined;
  const ordinals = past.all('PersistentVolumeClaim').map(({ metadata }) => metadata.name.slice('data-web-'.length));
  if (entry.type === 'end') {
    const { whenDeleted } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
    const mustGo = whenDeleted === 'Delete' && past.scenario.deletion !== 'Orphan';
    return mustGo && ordinals.length > 0 ? `claims of ${ordinals.join(', ')} are left` : undefined;
  }
  const missing = entry.type === 'rest' && past.pods().find((pod) => !ordinals.includes(String(ordinalOf(pod))));
  return missing ? `no claim of ${missing.metadata.name}` : undefined;
}
