import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../../src/api/generated/types.ts';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { admit } from '../../../src/lifecycle/node/kubelet-admission.ts';
import { node, podWith, requesting } from '../base-objects.ts';

const asking = (requests: Record<string, string>): Partial<PodSpec> => ({ containers: [requesting(requests)] });
const resource = (name: string, text: string): [string, string] => [
  `OutOf${name}`,
  `Node didn't have enough resource: ${name}, ${text}`,
];

interface Row {
  readonly name: string;
  readonly spec?: Partial<PodSpec>;
  readonly labels?: Record<string, string>;
  readonly placed?: readonly StoredPod[];
  /** Reason and text of the rejection. Undefined: the Pod runs. */
  readonly want?: [string, string];
}

describe('the admission of a Pod to its node', () => {
  it.each<Row>([
    { name: 'admits what fits', spec: asking({ cpu: '1' }) },
    {
      name: 'rejects a Pod that asks for too much cpu',
      spec: asking({ memory: '1Ti', cpu: '100' }),
      want: resource('cpu', 'requested: 100000, used: 0, capacity: 2000'),
    },
    {
      name: 'counts memory in bytes',
      spec: asking({ memory: '5Gi' }),
      want: resource('memory', 'requested: 5368709120, used: 0, capacity: 4294967296'),
    },
    {
      name: 'rejects one Pod too many',
      placed: Array.from({ length: 110 }, () => podWith()),
      want: resource('pods', 'requested: 1, used: 110, capacity: 110'),
    },
    {
      name: 'rejects a Pod whose selector does not match',
      spec: { nodeSelector: { disk: 'tape' } },
      want: ['NodeAffinity', "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector"],
    },
    {
      name: 'tells the resource before the selector',
      spec: { ...asking({ cpu: '3' }), nodeSelector: { disk: 'tape' } },
      want: resource('cpu', 'requested: 3000, used: 0, capacity: 2000'),
    },
    {
      name: 'rejects a Pod whose port another has',
      spec: { containers: [{ name: 'main', ports: [{ containerPort: 80, hostPort: 80 }] }] },
      placed: [podWith({ containers: [{ name: 'main', ports: [{ containerPort: 80, hostPort: 80 }] }] })],
      want: ['NodePorts', "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports"],
    },
    { name: 'overlooks devices that it knows nothing of', spec: asking({ 'example.com/gpu': '1' }) },
    { name: 'admits a Pod for this system', spec: { os: { name: 'linux' } }, labels: { 'kubernetes.io/os': 'linux' } },
    {
      name: 'rejects a Pod whose sysctl could change the node',
      spec: { ...asking({ cpu: '3' }), securityContext: { sysctls: [{ name: 'kernel.msgmax', value: '1' }] } },
      want: ['SysctlForbidden', 'forbidden sysctl: "kernel.msgmax" not allowlisted'],
    },
    {
      name: 'rejects a Pod for another system, before all else',
      spec: { ...asking({ cpu: '3' }), os: { name: 'windows' } },
      want: ['PodOSNotSupported', "Failed to admit pod as the OS field doesn't match node OS"],
    },
    {
      name: 'rejects a Pod that bears the label of another system',
      spec: { os: { name: 'windows' } },
      labels: { 'kubernetes.io/os': 'windows' },
      want: [
        'PodOSSelectorNodeLabelDoesNotMatch',
        "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
      ],
    },
  ])('$name', ({ spec = {}, labels = {}, placed = [], want }) => {
    const rejection = admit(podWith({ ...spec, nodeName: 'node-1' }, { labels }), node, placed);
    expect(rejection && [rejection.reason, rejection.why]).toEqual(want);
  });

  it('looks only at NoExecute taints', () => {
    const verdict = (effect: 'NoSchedule' | 'NoExecute') =>
      admit(podWith({ nodeName: 'node-1' }), { ...node, taints: [{ key: 'old', effect }] }, [])?.reason;
    expect([verdict('NoSchedule'), verdict('NoExecute')]).toEqual([undefined, 'TaintToleration']);
  });
});
