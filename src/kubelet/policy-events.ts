import type { StoredPod } from '../api/index.ts';
import { EventRecorder, type EventRecorderOptions } from '../apiserver/index.ts';
import { reportTrouble } from '../defects.ts';
import { refusedByPolicy } from '../lifecycle/index.ts';
import type { PolicyEvents, Refusal } from '../network/index.ts';

interface PolicyEventsOptions extends EventRecorderOptions {
  readonly onTrouble: (error: Error) => void;
}

/** Records what becomes of NetworkPolicies: events about them, and about the Pods whose connections they refuse. */
export function policyEventsOf({ onTrouble, ...options }: PolicyEventsOptions): PolicyEvents {
  const recorder = new EventRecorder(options);
  const safely = (record: () => void): void => {
    try {
      record();
    } catch (error) {
      // The object may be gone, or the disk full.
      reportTrouble(error, onTrouble);
    }
  };
  return {
    record: (about, event) => safely(() => recorder.recordOwn(about, event)),
    onRefused: (refusals, pods) => {
      const podAt = new Map(pods.flatMap((pod) => (pod.status.podIP ? [[pod.status.podIP, pod] as const] : [])));
      for (const refusal of refusals) safely(() => recordRefusal(recorder, refusal, podAt));
    },
  };
}

/** Both ends get an event, as far as they are Pods. */
function recordRefusal(recorder: EventRecorder, refusal: Refusal, podAt: ReadonlyMap<string, StoredPod>): void {
  const nameOf = (address: string): string => {
    const { namespace, name } = podAt.get(address)?.metadata ?? {};
    return name === undefined ? address : `${namespace}/${name}`;
  };
  const { direction, from, to, protocol, port, count } = refusal;
  const connections = { ...refusal, from: nameOf(from), to: nameOf(to) };
  for (const at of ['from', 'to'] as const) {
    const pod = podAt.get(refusal[at]);
    if (pod === undefined) continue;
    const isOwn = (direction === 'ingress') === (at === 'to');
    const key = [pod.metadata.uid, direction, from, to, protocol, port].join(' ');
    recorder.recordTotal(pod, refusedByPolicy(connections, at, isOwn), key, count);
  }
}
