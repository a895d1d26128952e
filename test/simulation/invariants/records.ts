import { isDeepStrictEqual } from 'node:util';
import { isTerminalPhase, type StoredPod } from '../../../src/api/base/objects.ts';
import { parseTime } from '../../../src/api/base/time.ts';
import type { Chronicle } from '../scenario/chronicle.ts';
import type { Entry } from '../scenario/entry.ts';

/** The agent's copy of the Pod is the store's. */
export function storeAndMemoryAgree(entry: Entry, { isRemoved }: Chronicle): string | undefined {
  if (entry.type !== 'settled' || isRemoved) return undefined;
  if (entry.stored === undefined) return 'the Pod is gone from the store';
  if (entry.inMind === entry.stored) return undefined;
  return isDeepStrictEqual(unversioned(entry.inMind), unversioned(entry.stored)) ? undefined : 'they differ';
}

function unversioned(pod: StoredPod): StoredPod {
  return { ...pod, metadata: { ...pod.metadata, resourceVersion: '' } };
}

/** A status survives JSON: it contains no undefined, no NaN and no date. */
export function statusSurvivesJson(entry: Entry, { pod }: Chronicle): string | undefined {
  if (entry.type !== 'pod') return undefined;
  return isPlain(pod.status) ? undefined : 'it does not';
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean';
  if (value === null) return true;
  if (Array.isArray(value)) return value.every(isPlain);
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPlain);
}

/** Every line of the stream contains a change. Source: status_manager.go isPodStatusByKubeletEqual. */
export function updatesSaySomethingNew(entry: Entry, { before, pod }: Chronicle): string | undefined {
  if (entry.type !== 'pod' || entry.change !== 'MODIFIED' || before === undefined) return undefined;
  if (!isDeepStrictEqual(before.status, pod.status)) return undefined;
  return isDeepStrictEqual(unversioned(before), unversioned(pod)) ? 'an update without a change' : undefined;
}

/** Versions increase, even when the clock is set back. Source: KEP-5504. */
export function versionsGrow(entry: Entry, { before, pod }: Chronicle): string | undefined {
  if (entry.type !== 'pod' || before === undefined) return undefined;
  const [earlier, later] = [before.metadata.resourceVersion, pod.metadata.resourceVersion];
  return Number(later) > Number(earlier) ? undefined : `${earlier} became ${later}`;
}

/** The agent writes only nodeName into the spec, once, and only the end of the grace period into the metadata. */
export function specIsTheClients(entry: Entry, past: Chronicle): string | undefined {
  const { before, pod } = past;
  if (entry.type !== 'pod' || before === undefined || isDeepStrictEqual(before.spec, pod.spec)) return undefined;
  const last = past.entries.findLast(({ type }) => type === 'happening' || type === 'settled');
  if (last?.type === 'happening') return undefined;
  const bound = { ...before.spec, nodeName: pod.spec.nodeName };
  return before.spec.nodeName === undefined && isDeepStrictEqual(bound, pod.spec) ? undefined : 'the spec was changed';
}

/** An observed generation never decreases and never exceeds the generation of the Pod. Source: KEP-5067. */
export function generationGoesUp(entry: Entry, { before, pod }: Chronicle): string | undefined {
  if (entry.type !== 'pod' || before === undefined) return undefined;
  const [earlier, later] = [before.metadata.generation ?? 1, pod.metadata.generation ?? 1];
  if (later < earlier) return `generation ${earlier} became ${later}`;
  const [seen, sees] = [before.status.observedGeneration ?? 0, pod.status.observedGeneration ?? 0];
  return sees < seen ? `observedGeneration ${seen} became ${sees}` : undefined;
}

/** A Pod that has not ended observes a change of its spec at once. Source: KEP-5067. */
export function generationIsObserved(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'settled' || past.isOver || entry.stored?.status.containerStatuses === undefined) return undefined;
  const { metadata, status } = entry.stored;
  return status.observedGeneration === metadata.generation ? undefined : `${metadata.generation} is not observed`;
}

/** Start time and addresses never change. Source: status_manager.go (startTime), kubelet_pods.go (addresses). */
export function startTimeAndAddressesStay(entry: Entry, { before, pod }: Chronicle): string | undefined {
  if (entry.type !== 'pod' || before === undefined) return undefined;
  for (const field of ['startTime', 'podIP', 'hostIP', 'qosClass'] as const) {
    const [earlier, later] = [before.status[field], pod.status[field]];
    if (earlier !== undefined && later !== earlier) return `${field} ${earlier} became ${later}`;
  }
  return undefined;
}

/** Timestamps of conditions, starts and ends never decrease, unless the clock is set. */
export function timesNeverGoBack(entry: Entry, { clockJumped, before, pod }: Chronicle): string | undefined {
  if (entry.type !== 'pod' || clockJumped) return undefined;
  for (const { type, lastTransitionTime } of pod.status.conditions ?? []) {
    const earlier = before?.status.conditions?.find((one) => one.type === type)?.lastTransitionTime;
    if (parseTime(lastTransitionTime ?? '') < parseTime(earlier ?? '')) return `${type} went back`;
  }
  return undefined;
}

/** The object is removed after the end of its Pod, unless by force or before scheduling. Source: kubelet_pods.go. */
export function objectGoesLast(entry: Entry, past: Chronicle): string | undefined {
  if (entry.type !== 'pod' || entry.change !== 'DELETED' || past.isRemovedByForce) return undefined;
  const { spec, status, metadata } = past.pod;
  if (metadata.deletionTimestamp === undefined) return 'nobody deleted it';
  if (spec.nodeName === undefined || isTerminalPhase(status.phase)) return undefined;
  return `removed while ${status.phase}`;
}
