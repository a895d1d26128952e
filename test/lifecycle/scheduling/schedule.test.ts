import { describe, expect, it } from 'vitest';
import type {
  ContainerPort,
  NodeSelectorTerm,
  PodAffinityTerm,
  PodSpec,
  StoredClaim,
  StoredPod,
  StoredVolume,
  Taint,
  Toleration,
} from '../../../src/api/index.ts';
import { type Schedule, schedule, type SchedulerFacts } from '../../../src/lifecycle/scheduling/schedule.ts';
import { node, podWith, requesting } from '../base-objects.ts';

const asking = (requests: Record<string, string>): Partial<PodSpec> => ({ containers: [requesting(requests)] });
const byName = (name: string): Partial<PodSpec> => {
  const matchFields = [{ key: 'metadata.name', operator: 'In' as const, values: [name] }];
  const required = { nodeSelectorTerms: [{ matchFields }] };
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } };
};

const HELPLESS =
  ' no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';
const NO_VICTIMS =
  ' no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod.';

function unschedulable(why: string): Schedule {
  return { type: 'waits', reason: 'Unschedulable', message: `0/1 nodes are available: ${why}` };
}

/** The scheduler has looked at no node, and leaves the nominated one as it is. */
function rejected(problem: string): Schedule {
  return { ...unschedulable(`${problem}. not found`), keepsNomination: true } as Schedule;
}

interface Row {
  readonly name: string;
  readonly spec: Partial<PodSpec>;
  readonly placed?: readonly StoredPod[];
  readonly want: Schedule;
}

const here: Schedule = { type: 'fits', nodeName: 'node-1' };
const elsewhere: Schedule = { type: 'elsewhere', nodeName: 'node-7' };
const claim = (claimName: string) => ({ name: claimName, persistentVolumeClaim: { claimName } });
const listening = (port: Partial<ContainerPort>): Partial<PodSpec> => ({
  containers: [{ name: 'main', ports: [{ containerPort: 80, ...port }] }],
});
const HOSTNAME = 'kubernetes.io/hostname';
const WEB = { app: 'web' };
const ofWeb = podWith({}, { labels: WEB });
const ofHost = { topologyKey: HOSTNAME, labelSelector: { matchLabels: WEB } };
const apart = (term: PodAffinityTerm): Partial<PodSpec> => {
  const required = [{ labelSelector: { matchLabels: WEB }, ...term }];
  return { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } };
};
const oneCore = podWith(asking({ cpu: '1' }));

interface Storage {
  /** Default: `disk`. */
  readonly volumeName?: string | undefined;
  /** Undefined: its controller has not seen the claim yet. */
  readonly phase: 'Bound' | 'Lost' | 'Pending' | undefined;
  readonly deletionTimestamp?: string;
  /** The nodes that reach the volume. Default: all. */
  readonly terms?: NodeSelectorTerm[];
}

/** The claim `data` and its volume `disk`. */
function storage({ phase, deletionTimestamp, terms, ...claim }: Storage): NonNullable<SchedulerFacts['objects']> {
  const metadata = { name: 'data', namespace: 'default', ...(deletionTimestamp && { deletionTimestamp }) };
  const claimed = { metadata, spec: { volumeName: 'disk', ...claim }, status: { phase } } as StoredClaim;
  const volume = {
    metadata: { name: 'disk' },
    spec: { nodeAffinity: terms && { required: { nodeSelectorTerms: terms } } },
  };
  return {
    claim: (_namespace, name) => (name === 'data' ? claimed : undefined),
    volume: (name) => {
      // As a store does.
      if (name === '') throw new Error('a volume has a name');
      return name === 'disk' ? (volume as unknown as StoredVolume) : undefined;
    },
  };
}

describe('schedule()', () => {
  it.each<Row>([
    { name: 'takes a Pod that asks for nothing', spec: {}, want: here },
    { name: 'takes a Pod that fits exactly', spec: asking({ cpu: '2', memory: '4Gi' }), want: here },
    {
      name: 'leaves a gated Pod alone, whatever it asks for',
      spec: { ...asking({ cpu: '64' }), schedulingGates: [{ name: 'example.com/wait' }] },
      want: {
        type: 'waits',
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
      },
    },
    {
      name: 'finds no node for a nodeSelector, and does not even look at resources',
      spec: { ...asking({ cpu: '64' }), nodeSelector: { disk: 'tape' } },
      want: unschedulable(`1 node(s) didn't match Pod's node affinity/selector.${HELPLESS}`),
    },
    {
      name: 'finds no node of another name',
      spec: byName('node-2'),
      want: unschedulable(`1 node(s) didn't satisfy plugin(s) [NodeAffinity].${HELPLESS}`),
    },
    { name: 'finds the node by its name', spec: byName('node-1'), want: here },
    {
      name: 'lists all resources that are short, sorted',
      spec: asking({ memory: '8Gi', 'example.com/gpu': '1', cpu: '3', 'ephemeral-storage': '1Ti' }),
      want: unschedulable(
        '1 Insufficient cpu, 1 Insufficient ephemeral-storage, 1 Insufficient example.com/gpu, ' +
          `1 Insufficient memory.${HELPLESS}`,
      ),
    },
    {
      name: 'keeps a Pod away from Pods that its required anti-affinity is about',
      spec: apart({ topologyKey: HOSTNAME }),
      placed: [ofWeb],
      want: unschedulable(`1 node(s) didn't match pod anti-affinity rules.${NO_VICTIMS}`),
    },
    {
      name: 'keeps a Pod away from Pods whose required anti-affinity is about it',
      spec: {},
      placed: [podWith(apart({ topologyKey: HOSTNAME, labelSelector: {} }))],
      want: unschedulable(`1 node(s) didn't satisfy existing pods anti-affinity rules.${NO_VICTIMS}`),
    },
    {
      name: 'keeps nothing away by a label that the node does not have',
      spec: apart({ topologyKey: 'topology.kubernetes.io/zone' }),
      placed: [ofWeb],
      want: here,
    },
    {
      name: 'has one node for a Pod that wants to be beside another one',
      spec: { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [ofHost] } } },
      want: here,
    },
    { name: 'ignores a request of zero', spec: asking({ 'example.com/gpu': '0' }), want: here },
    {
      name: 'counts what other Pods hold, and says that none of them would go',
      spec: asking({ cpu: '500m' }),
      placed: [oneCore, oneCore],
      want: unschedulable(`1 Insufficient cpu.${NO_VICTIMS}`),
    },
    { name: 'fits beside others', spec: asking({ cpu: '1' }), placed: [oneCore], want: here },
    {
      name: 'takes no more Pods than the node may have',
      spec: {},
      placed: Array.from({ length: 110 }, () => podWith()),
      want: unschedulable(`1 Too many pods.${NO_VICTIMS}`),
    },
    {
      name: 'finds no node for a port of the host that another Pod holds',
      spec: listening({ hostPort: 80 }),
      placed: [podWith(listening({ hostPort: 80, hostIP: '127.0.0.1' }))],
      want: unschedulable(`1 node(s) didn't have free ports for the requested pod ports.${NO_VICTIMS}`),
    },
    {
      name: 'fits beside Pods that listen elsewhere',
      spec: listening({ hostPort: 80, hostIP: '127.0.0.1' }),
      placed: [
        podWith(listening({ hostPort: 81 })),
        podWith(listening({ hostPort: 80, hostIP: '127.0.0.2' })),
        podWith(listening({ hostPort: 80, protocol: 'UDP' })),
        podWith(listening({})),
      ],
      want: here,
    },
    {
      name: 'finds no node for a claim that does not exist, before it looks at any node',
      spec: { ...byName('node-2'), volumes: [claim('data'), claim('nope')] },
      want: rejected('persistentvolumeclaim "nope" not found'),
    },
    { name: 'takes a Pod whose claims exist', spec: { volumes: [claim('data')] }, want: here },
    {
      name: 'leaves a Pod alone that stands on this node',
      spec: { ...asking({ cpu: '64' }), nodeName: 'node-1', volumes: [claim('nope')] },
      want: { type: 'placed' },
    },
    { name: 'has no say in what stands on another', spec: { nodeName: 'node-7' }, want: elsewhere },
  ])('$name', ({ spec, placed = [], want }) => {
    expect(schedule(podWith(spec), { node, placed, objects: storage({ phase: 'Bound' }) })).toEqual(want);
  });
});

describe('schedule() of a Pod with a claim', () => {
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
  const on = (...values: string[]): Storage => ({
    phase: 'Bound',
    terms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values }] }],
  });

  it.each<[string, Storage, Schedule]>([
    ['that has no volume yet', { phase: 'Pending' }, rejected('pod has unbound immediate PersistentVolumeClaims')],
    [
      'that was just made',
      { phase: undefined, volumeName: undefined },
      rejected('pod has unbound immediate PersistentVolumeClaims'),
    ],
    [
      'that is being deleted',
      { phase: 'Bound', deletionTimestamp: '2026-11-20T20:00:01Z' },
      rejected('persistentvolumeclaim "data" is being deleted'),
    ],
    [
      'that has lost its volume',
      { phase: 'Lost' },
      rejected('persistentvolumeclaim "data" bound to non-existent persistentvolume "disk"'),
    ],
    [
      'whose volume is on another node',
      on('node-2'),
      unschedulable(`1 node(s) didn't match PersistentVolume's node affinity.${HELPLESS}`),
    ],
    ['whose volume is here', on('node-1'), here],
  ])('%s', (_name, facts, want) => {
    const labelled = { ...node, labels: { ...node.labels, 'kubernetes.io/hostname': 'node-1' } };
    expect(schedule(podWith({ volumes }), { node: labelled, placed: [], objects: storage(facts) })).toEqual(want);
  });
});

describe('schedule() on a node with taints', () => {
  const taints: Taint[] = [
    { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
    { key: 'slow', effect: 'PreferNoSchedule' },
  ];
  const refused = unschedulable(`1 node(s) had untolerated taint(s).${HELPLESS}`);

  it.each<[name: string, tolerations: Toleration[] | undefined, want: Schedule]>([
    ['nothing', undefined, refused],
    ['everything', [{ operator: 'Exists' }], here],
    ['the key, whatever its value', [{ key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' }], here],
    ['the value', [{ key: 'dedicated', value: 'gpu' }], here],
    ['another value', [{ key: 'dedicated', value: 'db' }], refused],
    ['another effect', [{ key: 'dedicated', operator: 'Exists', effect: 'NoExecute' }], refused],
    ['another key', [{ key: 'slow', operator: 'Exists' }], refused],
  ])('of a Pod that tolerates %s', (_, tolerations, want) => {
    const pod = podWith({ tolerations, nodeSelector: want === here ? {} : { disk: 'tape' } });
    expect(schedule(pod, { node: { ...node, taints }, placed: [] })).toEqual(want);
  });
});
