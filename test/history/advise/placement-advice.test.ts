import { expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { placementAdvice } from '../../../src/history/advise/placement-rules.ts';
import { webPod } from '../../print/pods.ts';

const labels = { app: 'web', 'pod-template-hash': 'b7f4' };
const zone = { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' } as const;

function on(nodeName: string | undefined, constraints?: StoredPod['spec']['topologySpreadConstraints']): StoredPod {
  const { metadata, ...pod } = webPod();
  const spec = { ...pod.spec, nodeName, ...(constraints && { topologySpreadConstraints: constraints }) };
  return { ...pod, metadata: { ...metadata, labels }, spec };
}

it('replicas on one node get the constraint that spreads them', () => {
  const pod = on('node-1', [zone]);
  expect(placementAdvice(pod, { workload: 'deployment/web', pods: [pod, on('node-1'), on('node-1')] })).toMatchObject([
    {
      rule: 'replicas-on-one-node',
      path: 'spec.topologySpreadConstraints',
      current: [zone],
      suggested: [
        zone,
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 'web' } },
        },
      ],
      evidence: 'All 3 Pods of deployment/web are on node-1: it takes one node to lose them.',
    },
  ]);
});

it.each<[string, string, readonly (string | undefined)[]]>([
  ['of two nodes', 'deployment/web', ['node-1', 'node-2']],
  ['that are one', 'deployment/web', ['node-1']],
  ['of which one waits for a node', 'statefulset/web', ['node-1', undefined]],
  ['of a Job', 'job/web', ['node-1', 'node-1']],
])('Pods %s get none', (_, workload, nodes) => {
  const pods = nodes.map((name) => on(name));
  expect(placementAdvice(on(nodes[0]), { workload, pods })).toEqual([]);
});
