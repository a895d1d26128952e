import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Node } from '../../src/api/generated/types.ts';
import type { StoredEvent, StoredKubeObject, StoredPod } from '../../src/api/base/objects.ts';
import { describeObject } from '../../src/print/describe-object.ts';
import { container, webPod } from './pods.ts';

beforeEach(() => {
  vi.stubEnv('TZ', 'UTC');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const nowMs = Date.parse('2026-01-15T12:00:00Z');
const node: Node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'worker',
    uid: 'u-node',
    labels: { 'node-role.kubernetes.io/control-plane': '', 'kubernetes.io/os': 'linux' },
    creationTimestamp: '2026-01-15T11:00:00Z',
  },
  spec: {
    podCIDR: '10.1.0.0/24',
    podCIDRs: ['10.1.0.0/24', 'fd00::/64'],
    taints: [
      { key: 'slow', effect: 'PreferNoSchedule' },
      { key: 'gpu', value: 'yes', effect: 'NoSchedule' },
    ],
  },
  status: {
    addresses: [{ type: 'InternalIP', address: '10.0.0.9' }],
    capacity: { cpu: '2', memory: '2048Ki', pods: '110', 'example.com/dongle': '3' },
    allocatable: { cpu: '1', memory: '1024Ki', pods: '110', 'example.com/dongle': '3', 'hugepages-2Mi': '4Mi' },
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        lastHeartbeatTime: '2026-01-15T11:59:00Z',
        lastTransitionTime: '2026-01-15T11:01:00Z',
        reason: 'KubeletReady',
        message: 'it is up',
      },
    ],
    nodeInfo: {
      machineID: 'm1',
      systemUUID: 's1',
      bootID: 'b1',
      kernelVersion: '6.1.0',
      osImage: 'Debian',
      operatingSystem: 'linux',
      architecture: 'amd64',
      containerRuntimeVersion: 'containerd://2.0.0',
      kubeletVersion: 'v1.32.4',
      kubeProxyVersion: 'v1.32.4',
    },
  },
};

const resources = {
  requests: { cpu: '290m', memory: '512Ki', 'example.com/dongle': '2' },
  limits: { cpu: '1.5', 'example.com/dongle': '2' },
};
const pod = (name: string, phase: 'Running' | 'Succeeded', nodeName: string): StoredPod =>
  webPod({
    metadata: { name, namespace: 'other', creationTimestamp: '2026-01-15T11:30:00Z' },
    spec: { nodeName, containers: [container('main', { resources }), container('beside')] },
    status: { phase },
  });

const describe = (events: readonly StoredEvent[]): string =>
  describeObject(node as unknown as StoredKubeObject, {
    events,
    list: () =>
      [
        pod('busy', 'Running', 'worker'),
        pod('over', 'Succeeded', 'worker'),
        pod('away', 'Running', 'elsewhere'),
      ] as never,
    nowMs,
  });

it('describe node, line by line as kubectl has it', () => {
  expect(describe([])).toBe(`\
Name:               worker
Roles:              control-plane
Labels:             kubernetes.io/os=linux
                    node-role.kubernetes.io/control-plane=
Annotations:        <none>
CreationTimestamp:  Thu, 15 Jan 2026 11:00:00 +0000
Taints:             gpu=yes:NoSchedule
                    slow:PreferNoSchedule
Unschedulable:      false
Conditions:
  Type    Status  LastHeartbeatTime                 LastTransitionTime                Reason         Message
  ----    ------  -----------------                 ------------------                ------         -------
  Ready   True    Thu, 15 Jan 2026 11:59:00 +0000   Thu, 15 Jan 2026 11:01:00 +0000   KubeletReady   it is up
Addresses:
  InternalIP:  10.0.0.9
Capacity:
  cpu:                 2
  example.com/dongle:  3
  memory:              2Mi
  pods:                110
Allocatable:
  cpu:                 1
  example.com/dongle:  3
  hugepages-2Mi:       4Mi
  memory:              1Mi
  pods:                110
System Info:
  Machine ID:                 m1
  System UUID:                s1
  Boot ID:                    b1
  Kernel Version:             6.1.0
  OS Image:                   Debian
  Operating System:           linux
  Architecture:               amd64
  Container Runtime Version:  containerd://2.0.0
  Kubelet Version:            v1.32.4
  Kube-Proxy Version:         v1.32.4
PodCIDR:                      10.1.0.0/24
PodCIDRs:                     10.1.0.0/24,fd00::/64
Non-terminated Pods:          (1 in total)
  Namespace                   Name    CPU Requests  CPU Limits    Memory Requests  Memory Limits  Age
  ---------                   ----    ------------  ----------    ---------------  -------------  ---
  other                       busy    290m (28%)    1500m (150%)  512Ki (50%)      0 (0%)         30m
Allocated resources:
  (Total limits may be over 100 percent, i.e., overcommitted.)
  Resource            Requests     Limits
  --------            --------     ------
  cpu                 290m (28%)   1500m (150%)
  memory              512Ki (50%)  0 (0%)
  ephemeral-storage   0 (0%)       0 (0%)
  hugepages-2Mi       0 (0%)       0 (0%)
  example.com/dongle  2            2
Events:               <none>
`);
});

it('describe node shows what kubelet and what a controller said of the node', () => {
  const event = (uid: string, reason: string): StoredEvent => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      name: reason,
      namespace: 'default',
      uid: reason,
      resourceVersion: '1',
      creationTimestamp: '2026-01-15T11:59:00Z',
    },
    involvedObject: { kind: 'Node', name: 'worker', uid },
    reason,
  });
  const text = describe([event('worker', 'Starting'), event('u-node', 'RegisteredNode'), event('u-other', 'Removed')]);
  expect(text).toMatch(/Events:\n.*\n.*\n.*Starting.*\n.*RegisteredNode/);
  expect(text).not.toContain('Removed');
});
