import { expect, it } from 'vitest';
import type { StoredClaim, StoredPod } from '../../../src/api/index.ts';
import type { SchedulingNode } from '../../../src/lifecycle/scheduling/base/snapshot.ts';
import type { ClusterEvent } from '../../../src/lifecycle/scheduling/queue/cluster-event.ts';
import { mayHelp } from '../../../src/lifecycle/scheduling/queue/hints.ts';
import { node, podWith, requesting } from '../base-objects.ts';

const HOSTNAME = 'kubernetes.io/hostname';
const WEB = { app: 'web' };
const hosted = (name: string, more: Partial<SchedulingNode> = {}): SchedulingNode => ({
  ...node,
  name,
  labels: { [HOSTNAME]: name },
  ...more,
});
const on = (name: string, spec: Partial<StoredPod['spec']> = {}, labels: Record<string, string> = {}): StoredPod =>
  podWith({ nodeName: name, ...spec }, { name: 'other', uid: 'other', labels });
const apart: Partial<StoredPod['spec']> = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: HOSTNAME, labelSelector: { matchLabels: WEB } }],
    },
  },
};
const spread = podWith(
  {
    topologySpreadConstraints: [
      { maxSkew: 1, topologyKey: HOSTNAME, whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: WEB } },
    ],
  },
  { labels: WEB },
);
const disk = { volumes: [{ name: 'd', awsElasticBlockStore: { volumeID: 'vol-1' } }] };
const claiming = podWith({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }] });
const claim = (name: string): StoredClaim =>
  ({
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace: claiming.metadata.namespace },
    spec: {},
  }) as StoredClaim;
const core = podWith({ containers: [requesting({ cpu: '1' })] });
const using = (cpu: string): StoredPod => on('n1', { containers: [requesting({ cpu })] });

it.each<[name: string, plugin: string, pod: StoredPod, event: ClusterEvent, helps: boolean]>([
  ['a Node that goes', 'PodTopologySpread', spread, { kind: 'Node', before: hosted('n1') }, true],
  ['a Node that goes', 'NodeResourcesFit', core, { kind: 'Node', before: hosted('n1') }, false],
  ['a resize to less', 'NodeResourcesFit', core, { kind: 'Pod', before: using('1'), after: using('500m') }, true],
  ['a resize to more', 'NodeResourcesFit', core, { kind: 'Pod', before: using('1'), after: using('2') }, false],
  [
    'a resize of what the Pod does not ask for',
    'NodeResourcesFit',
    podWith({ containers: [requesting({ memory: '1Gi' })] }),
    { kind: 'Pod', before: using('1'), after: using('500m') },
    false,
  ],
  ['a Pod that never had a node', 'NodeResourcesFit', core, { kind: 'Pod', before: podWith({}) }, false],
  ['the end of a cordon', 'NodeResourcesFit', core, cordon(true, false), true],
  ['a cordon', 'NodeResourcesFit', core, cordon(false, true), false],
  ['a Pod that loses its label', 'InterPodAffinity', podWith(apart), relabelled(WEB, {}), true],
  ['a Pod that gets the label', 'InterPodAffinity', podWith(apart), relabelled({}, WEB), false],
  [
    'a Pod that goes and would not have this one near',
    'InterPodAffinity',
    podWith({}, { labels: WEB }),
    { kind: 'Pod', before: on('n1', apart) },
    true,
  ],
  ['a Pod on the same disk', 'VolumeRestrictions', podWith(disk), { kind: 'Pod', before: on('n1', disk) }, true],
  ['a Pod without a disk', 'VolumeRestrictions', podWith(disk), { kind: 'Pod', before: on('n1') }, false],
  ['its claim', 'VolumeBinding', claiming, { kind: 'PersistentVolumeClaim', after: claim('data') }, true],
  ['another claim', 'VolumeBinding', claiming, { kind: 'PersistentVolumeClaim', after: claim('more') }, false],
  ['a claim that goes', 'VolumeBinding', claiming, { kind: 'PersistentVolumeClaim', before: claim('data') }, false],
  ['a new label of a Node', 'VolumeBinding', claiming, labelled({ disk: 'ssd' }), true],
  ['the same labels of a Node', 'VolumeBinding', claiming, labelled({}), false],
])('%s, for a Pod that %s has rejected', (_name, plugin, pod, event, helps) => {
  expect(mayHelp(pod, [plugin], event, { namespaceLabels: () => ({}) })).toBe(helps);
});

function cordon(before: boolean, after: boolean): ClusterEvent {
  return { kind: 'Node', before: hosted('n1', { isCordoned: before }), after: hosted('n1', { isCordoned: after }) };
}

function relabelled(before: Record<string, string>, after: Record<string, string>): ClusterEvent {
  return { kind: 'Pod', before: on('n1', {}, before), after: on('n1', {}, after) };
}

function labelled(labels: Record<string, string>): ClusterEvent {
  return { kind: 'Node', before: hosted('n1', { labels: {} }), after: hosted('n1', { labels }) };
}
