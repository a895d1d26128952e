import type { Container, PodSpec } from '../../src/api/generated/types.ts';
import type { StoredPod } from '../../src/api/base/objects.ts';
import type { NodeFacts } from '../../src/lifecycle/base/node-facts.ts';

/** A node for tests that change one field. */
export const node: NodeFacts = {
  name: 'node-1',
  labels: { 'kubernetes.io/hostname': 'node-1', 'kubernetes.io/os': 'linux', disk: 'ssd', cores: '8', rank: 'second' },
  taints: [],
  allocatable: { cpu: '2', memory: '4Gi', 'ephemeral-storage': '10Gi', pods: '110' },
  hostIPs: ['192.0.2.7'],
};

/** A stored Pod with the parts of the spec that matter to the test. */
export function podWith(spec: Partial<PodSpec> = {}, metadata: Partial<StoredPod['metadata']> = {}): StoredPod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: '7b3d8f6e-0000-4000-8000-000000000001',
      resourceVersion: '1',
      creationTimestamp: '2026-11-20T20:00:00.000000Z',
      ...metadata,
    },
    spec: { containers: [{ name: 'main', image: 'busybox' }], enableServiceLinks: true, ...spec },
    status: { phase: 'Pending' },
  };
}

/** A container with resource requests. */
export function requesting(requests: Record<string, string>, rest: Partial<Container> = {}): Container {
  return { name: 'main', image: 'busybox', ...rest, resources: { requests } };
}
