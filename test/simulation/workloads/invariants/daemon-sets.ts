import type { StoredPod } from '../../../../src/api/base/objects.ts';
import type { StoredDaemonSet } from '../../../../src/controllers/base/reconcile.ts';
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

const setOf = ({ lastRoot }: WorkloadPast): StoredDaemonSet => lastRoot as unknown as StoredDaemonSet;

/** The Pods that the only node may have at a time. */
const mostOf = ({ spec }: StoredDaemonSet): number => 1 + Number(spec.updateStrategy?.rollingUpdate?.maxSurge ?? 0);

/** No label of the node is asked for: it has none. */
const fits = ({ spec }: StoredDaemonSet): boolean => spec.template.spec?.nodeSelector === undefined;

export function aNodeHasOneDaemon(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (!isCreation(entry, 'Pod')) return undefined;
  const active = past.pods().filter(isActive).length;
  return active > mostOf(setOf(past)) ? `${active} Pods on a node` : undefined;
}

export function noDaemonIsMadeForANodeThatDoesNotFit(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  return isCreation(entry, 'Pod') && !fits(setOf(past)) ? entry.object.metadata.name : undefined;
}

/** A daemon that could stay goes for an update; with a surge, when the new one is available. */
export function aDaemonGoesForAnUpdate(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  const set = setOf(past);
  if (!isDeletionByAgent(entry) || !past.isKept || !fits(set)) return undefined;
  const before = entry.before as unknown as StoredPod;
  const { minReadySeconds = 0, template, updateStrategy } = set.spec;
  if (!isActive(before) || before.spec.nodeSelector !== undefined) return undefined;
  if (updateStrategy?.type === 'OnDelete') return `${before.metadata.name} with OnDelete`;
  if (versionOf(before) === versionOf(template)) return `${before.metadata.name} is up to date`;
  if (mostOf(set) === 1 || !isReady(before)) return undefined;
  const isReplaced = past.pods().some((pod) => isActive(pod) && isAvailable(pod, minReadySeconds, past.wallMs));
  return isReplaced ? undefined : `${before.metadata.name} before another one is available`;
}

export function daemonSetsRestWithOnePod(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (entry.type !== 'rest' || !past.isKept) return undefined;
  const { spec, status, metadata } = setOf(past);
  const {
    numberReady,
    numberAvailable,
    desiredNumberScheduled,
    updatedNumberScheduled = 0,
    observedGeneration,
  } = status ?? {};
  const isOnDelete = spec.updateStrategy?.type === 'OnDelete';
  const pods = past.pods().filter(isActive);
  const isUpdated = isOnDelete || pods.every((pod) => versionOf(pod) === versionOf(spec.template));
  const counts = [numberReady, numberAvailable, desiredNumberScheduled, pods.length];
  const isRight =
    observedGeneration === metadata.generation &&
    counts.every((count) => count === 1) &&
    isUpdated &&
    (isOnDelete || updatedNumberScheduled === 1);
  return isRight ? undefined : `${pods.length} Pods: ${JSON.stringify(status)}`;
}
