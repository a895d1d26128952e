import { MIRROR_ANNOTATION, type StoredEvent, type StoredPod, type WatchEvent } from '../../src/api/base/objects.ts';
import type { Storable } from '../../src/store/base/store.ts';

export function newPod(name: string, changes: { namespace?: string; phase?: string } = {}): StoredPod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: changes.namespace ?? 'default', uid: '', resourceVersion: '', creationTimestamp: '' },
    spec: { containers: [{ name: 'main', image: 'busybox' }] },
    status: { phase: (changes.phase ?? 'Pending') as 'Pending' },
  };
}

/** The mirror Pod of the static Pod with this hash. */
export function newMirrorPod(name: string, hash: string): StoredPod {
  const pod = newPod(name, { phase: 'Running' });
  return { ...pod, metadata: { ...pod.metadata, annotations: { [MIRROR_ANNOTATION]: hash } } };
}

export function withPhase(pod: StoredPod, phase: string): StoredPod {
  return { ...pod, status: { ...pod.status, phase: phase as 'Pending' } };
}

export function newEvent(name: string, pod: string, message: string, namespace = 'default'): StoredEvent {
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name, namespace, uid: '', resourceVersion: '', creationTimestamp: '' },
    involvedObject: { kind: 'Pod', apiVersion: 'v1', namespace, name: pod },
    type: 'Normal',
    reason: 'Test',
    message,
  };
}

/** A change in short: `MODIFIED default/web Running`, `ADDED default/web.1 event text`. */
export function inShort<T extends Storable>({ type, object }: WatchEvent<T>): string {
  const { namespace, name } = object.metadata;
  const { status, message } = object as Storable as { status?: { phase?: string }; message?: string };
  return [type, `${namespace}/${name}`, status?.phase ?? message].filter(Boolean).join(' ');
}
