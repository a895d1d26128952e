import type { StoredPod } from '../api/objects.ts';
import { waitingFor } from '../print/live/waiting-for.ts';
import { explainPod } from '../print/waits/explain-pod.ts';
import type { Lapse } from '../lifecycle/requests/run-outcome.ts';
import { whyLapsed } from '../print/waits/why-lapsed.ts';
import { whyNever } from '../print/waits/why-never.ts';
import type { FileStore } from '../store/file-store.ts';
import { podEvidence } from './pod-evidence.ts';

/**
 * Why a Pod can never get where it should: the first cause, and below it the evidence, indented.
 * @param nowMs milliseconds since 1970
 */
export function causeWithEvidence(store: FileStore, pod: StoredPod, nowMs: number): string {
  const evidence = podEvidence(store, pod);
  const why = whyNever(pod, undefined, evidence);
  return `${why}\n${explainPod({ pod, evidence, untilMs: nowMs })}`.trimEnd();
}

/** What befell a Pod that was where it should be, and below it the evidence, indented. */
export function lapseWithEvidence(store: FileStore, lapse: Lapse, nowMs: number): string {
  const evidence = podEvidence(store, lapse.pod);
  const why = whyLapsed(lapse, evidence);
  return `${why}\n${explainPod({ pod: lapse.pod, evidence, untilMs: nowMs })}`.trimEnd();
}

/** What a Pod is waiting for now: a line, and below it the evidence, indented. */
export function waitingLines(store: FileStore, pod: StoredPod, nowMs: number): string {
  const evidence = podEvidence(store, pod);
  const phrase = waitingFor(pod, nowMs, evidence);
  return `pod/${pod.metadata.name}: ${phrase}\n${explainPod({ pod, evidence, untilMs: nowMs })}`.trimEnd();
}
