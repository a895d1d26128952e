import type { PodSpec } from '../../src/api/generated/types.ts';
import type { StoredPod } from '../../src/api/base/objects.ts';

/** A Pod `default/web` as it is just after its creation. */
export function newPod(spec: Partial<PodSpec>): StoredPod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'u1',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { containers: [], restartPolicy: 'Always', terminationGracePeriodSeconds: 30, ...spec },
    status: { phase: 'Pending', qosClass: 'BestEffort' },
  };
}
