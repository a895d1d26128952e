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

/** An answer of the scheduler without the plugins behind it: the cases of the specification have these. */
type Answer = Exclude<Schedule, { type: 'waits' }> | Omit<Extract<Schedule, { type: 'waits' }>, 'plugins'>;

function answer(pod: StoredPod, facts: SchedulerFacts): Answer {
  const { plugins: _, ...rest } = { plugins: [], ...schedule(pod, facts) };
  return rest;
}

function unschedulable(why: string): Answer {
  return { type: 'waits', reason: 'Unschedulable', message: `0/1 nodes are available: ${why}` };
}

/** The scheduler has looked at no node, and leaves the nominated one as it is. */
function rejected(problem: string): Answer {
  return { ...unschedulable(`${problem}. not found`), keepsNomination: true } as Answer;
}

interface Row {
  readonly name: string;
  readonly spec: Partial<PodSpec>;
  readonly placed?: readonly StoredPod[];
  readonly want: Answer;
}

const here: Schedule = { type: 'fits', nodeName: 'node-1', volumes: [] };
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
/** The same Pod, bound to the node. */
const onNode = (pod: StoredPod): StoredPod => ({ ...pod, spec: { ...pod.spec, nodeName: node.name } });
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
      want: { type: 'placed', node },
    },
    { name: 'has no say in what stands on another', spec: { nodeName: 'node-7' }, want: elsewhere },
  ])('$name', ({ spec, placed = [], want }) => {
    expect(
      answer(podWith(spec), { nodes: [node], placed: placed.map(onNode), objects: storage({ phase: 'Bound' }) }),
    ).toEqual(want);
  });
});

describe('schedule() of a Pod with a claim', () => {
  const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
  const on = (...values: string[]): Storage => ({
    phase: 'Bound',
    terms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values }] }],
  });

  it.each<[string, Storage, Answer]>([
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
    expect(answer(podWith({ volumes }), { nodes: [labelled], placed: [], objects: storage(facts) })).toEqual(want);
  });
});

it('schedule() prefers the node that has the image', () => {
  const image = 'registry.example/app:1';
  const nodes = ['node-1', 'node-2', 'node-3'].map((name) => ({
    ...node,
    name,
    images: new Map(name === 'node-2' ? [[image, 900 * 2 ** 20]] : []),
  }));
  for (const order of [1, 2, 3]) {
    const pod = podWith({ containers: [{ name: 'main', image }] });
    expect(schedule(pod, { nodes, placed: [], order })).toMatchObject({ nodeName: 'node-2' });
  }
});

describe('schedule() of a Pod whose claim waits for it', () => {
  const volumes = [claim('data')];
  const nodes = ['node-1', 'node-2'].map((name) => ({ ...node, name, labels: { [HOSTNAME]: name } }));
  const waiting = (annotations: Record<string, string> = {}): StoredClaim =>
    ({ metadata: { name: 'data', namespace: 'default', annotations }, spec: { storageClassName: 'local' } }) as never;
  const disk = (name: string, nodeName: string, phase = 'Available'): StoredVolume => {
    const matchExpressions = [{ key: HOSTNAME, operator: 'In' as const, values: [nodeName] }];
    const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions }] } };
    return { metadata: { name }, spec: { storageClassName: 'local', nodeAffinity }, status: { phase } } as never;
  };
  const outcome = (disks: StoredVolume[], provisioner: string, annotations?: Record<string, string>): Schedule =>
    schedule(podWith({ volumes }), {
      nodes,
      placed: [],
      objects: {
        claim: () => waiting(annotations),
        volumes: () => disks,
        storageClass: () => ({ provisioner, volumeBindingMode: 'WaitForFirstConsumer' }),
      },
    });
  const LOCAL = 'kubernetes.io/no-provisioner';

  it('chooses the node of a volume, and the volume', () => {
    expect(outcome([disk('two', 'node-2')], LOCAL)).toMatchObject({
      nodeName: 'node-2',
      volumes: [{ claim: waiting(), volume: { metadata: { name: 'two' } } }],
    });
  });

  it('has a volume made on the node that a client has selected', () => {
    const annotations = { 'volume.kubernetes.io/selected-node': 'node-2' };
    expect(outcome([], 'example.com/disks', annotations)).toEqual({
      type: 'fits',
      nodeName: 'node-2',
      volumes: [{ claim: waiting(annotations), volume: undefined }],
    });
  });

  it('says that no node has a volume', () => {
    expect(outcome([disk('two', 'node-2', 'Bound')], LOCAL)).toMatchObject({
      message: expect.stringContaining(
        "0/2 nodes are available: 2 node(s) didn't find available persistent volumes to bind.",
      ) as string,
    });
  });
});

describe('schedule() on a node with taints', () => {
  const taints: Taint[] = [
    { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
    { key: 'slow', effect: 'PreferNoSchedule' },
  ];
  const refused = unschedulable(`1 node(s) had untolerated taint(s).${HELPLESS}`);

  it.each<[name: string, tolerations: Toleration[] | undefined, want: Answer]>([
    ['nothing', undefined, refused],
    ['everything', [{ operator: 'Exists' }], here],
    ['the key, whatever its value', [{ key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' }], here],
    ['the value', [{ key: 'dedicated', value: 'gpu' }], here],
    ['another value', [{ key: 'dedicated', value: 'db' }], refused],
    ['another effect', [{ key: 'dedicated', operator: 'Exists', effect: 'NoExecute' }], refused],
    ['another key', [{ key: 'slow', operator: 'Exists' }], refused],
  ])('of a Pod that tolerates %s', (_, tolerations, want) => {
    const pod = podWith({ tolerations, nodeSelector: want === here ? {} : { disk: 'tape' } });
    expect(answer(pod, { nodes: [{ ...node, taints }], placed: [] })).toEqual(want);
  });
});
