import { describe, expect, it } from 'vitest';
import { runHere } from './in-process.ts';
import { putObjects, storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const node = (name: string, spec = '', labels = ''): string => `\
apiVersion: v1
kind: Node
metadata: { name: ${name}, labels: { kubernetes.io/hostname: ${name}${labels} } }
spec: { ${spec} }
status: { allocatable: { cpu: "2", memory: 4Gi, pods: "110" } }
---
`;

const APART = `\
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 3
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - { topologyKey: kubernetes.io/hostname, labelSelector: { matchLabels: { app: web } } }
      containers: [{ name: web, image: web, resources: { requests: { cpu: "1" } } }]
---
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent }
spec:
  selector: { matchLabels: { app: agent } }
  template:
    metadata: { labels: { app: agent } }
    spec: { containers: [{ name: agent, image: agent }] }
`;

const PREEMPTING = `\
apiVersion: v1
kind: Pod
metadata: { name: low }
spec: { nodeName: node-1, priority: 0, containers: [{ name: main, image: a, resources: { requests: { cpu: "2" } } }] }
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: { name: high }
value: 1000
---
apiVersion: v1
kind: Pod
metadata: { name: first }
spec: { priorityClassName: high, containers: [{ name: main, image: a, resources: { requests: { cpu: "2" } } }] }
`;

describe('podrun why', () => {
  it('places Pods of manifests on nodes that are alike, or that podrun.yaml declares', async () => {
    const pod = (name: string): string =>
      `apiVersion: v1\nkind: Pod\nmetadata: { name: ${name} }\nspec: { containers: [{ name: a, image: a }] }\n`;
    const file = workshop.file('pods.yaml', [pod('one'), pod('two')].join('---\n'));
    const alike = await runHere(workshop, ['why', '-f', file, '--nodes', '2', '--zones', '2']);
    expect(alike.stdout).toMatch(/default\/one +node-\d/);
    expect(alike.stdout).toContain('is the highest of 2 nodes');
    workshop.file('podrun.yaml', 'nodes: [{ name: big }, { name: old, unschedulable: true }]');
    const { stdout, exitCode } = await runHere(workshop, ['why', '-f', file, 'two']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('pod default/two goes to big');
    expect(stdout).toMatch(/old +NodeUnschedulable/);
  });

  it('places the Pods of manifests on their nodes, and exits with 1 when one stays Pending', async () => {
    const nodes = node('node-1', 'taints: [{ key: gpu, effect: NoSchedule }]') + node('node-2') + node('node-3');
    const file = workshop.file('all.yaml', nodes + APART);
    const { stdout, exitCode } = await runHere(workshop, ['why', '-f', file]);
    const rows = stdout.split('\n').map((line) => line.split(/ {3,}/));
    expect(rows.slice(0, 6).map(([pod, name]) => [pod, name])).toEqual([
      ['POD', 'NODE'],
      ['default/web-1', expect.stringMatching(/^node-[23]$/)],
      ['default/web-2', expect.stringMatching(/^node-[23]$/)],
      ['default/web-3', '<none>'],
      ['default/agent-node-2', 'node-2'],
      ['default/agent-node-3', 'node-3'],
    ]);
    expect(rows[1]?.[1]).not.toBe(rows[2]?.[1]);
    expect(rows[3]?.[2]).toContain("2 node(s) didn't match pod anti-affinity rules");
    expect(exitCode).toBe(1);
  });

  it('shows one Pod plugin by plugin', async () => {
    const nodes = node('node-1', 'unschedulable: true') + node('node-2') + node('node-3');
    const file = workshop.file('all.yaml', nodes + APART);
    const { stdout, exitCode } = await runHere(workshop, ['why', '-f', file, 'web-1']);
    expect(stdout).toMatch(/^pod default\/web-1 goes to node-[23]$/m);
    expect(stdout).toMatch(/^NODE +TOTAL +TaintToleration +NodeResourcesFit /m);
    expect(stdout).toMatch(/^node-2 +\d+ +300 /m);
    expect(stdout).toMatch(/^node-1 +NodeUnschedulable +node\(s\) were unschedulable$/m);
    expect(exitCode).toBe(0);
  });

  it('names the Pods that go for a Pod of higher priority', async () => {
    const file = workshop.file('all.yaml', node('node-1') + PREEMPTING);
    const { stdout } = await runHere(workshop, ['why', '-f', file, '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject([
      {
        pod: 'first',
        node: 'node-1',
        message: '0/1 nodes are available: 1 Insufficient cpu.',
        preempts: ['default/low'],
        rejections: [{ node: 'node-1', plugin: 'NodeResourcesFit', canPreempt: true }],
      },
    ]);
  });

  it('counts the Pods of a cluster where they are, and leaves out what has ended', async () => {
    const pod = (name: string, cpu: string, phase: string): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'default', uid: name },
      spec: { nodeName: 'node-1', containers: [{ name: 'main', image: 'a', resources: { requests: { cpu } } }] },
      status: { phase },
    });
    const items = [pod('running', '1500m', 'Running'), pod('ended', '2', 'Succeeded')];
    const cluster = workshop.file('cluster.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
    const file = workshop.file('all.yaml', node('node-1') + node('node-2') + APART);
    const { stdout } = await runHere(workshop, ['why', '-f', cluster, '-f', file, '-o', 'json']);
    const placed = JSON.parse(stdout) as { pod: string; node: string | null }[];
    expect(placed.map(({ pod: name, node: chosen }) => [name, chosen])).toEqual([
      ['web-1', 'node-2'],
      ['web-2', null],
      ['web-3', null],
      ['agent-node-1', 'node-1'],
      ['agent-node-2', 'node-2'],
    ]);
  });

  it('takes this machine where the manifests have no nodes', async () => {
    const file = workshop.file('all.yaml', APART.replace('requests: { cpu: "1" }', 'requests: { cpu: 10m }'));
    const { stdout } = await runHere(workshop, ['why', '-f', file, '-o', 'json']);
    const placed = JSON.parse(stdout) as { pod: string; node: string | null; rejections: { plugin: string }[] }[];
    expect(placed.map(({ pod, node: chosen, rejections }) => [pod, chosen !== null, rejections[0]?.plugin])).toEqual([
      ['web-1', true, undefined],
      ['web-2', false, 'InterPodAffinity'],
      ['web-3', false, 'InterPodAffinity'],
      [expect.stringMatching(/^agent-/), true, undefined],
    ]);
  });

  it('explains a stored Pod, whose priority is on record', async () => {
    const metadata = { name: 'web', namespace: 'default' };
    const spec = { priorityClassName: 'high', priority: 1000, containers: [{ name: 'main', image: 'a' }] };
    putObjects(storeOf(workshop), [{ apiVersion: 'v1', kind: 'Pod', metadata, spec, status: { phase: 'Pending' } }]);
    const { stdout, exitCode } = await runHere(workshop, ['why', 'web']);
    expect(stdout).toMatch(/^pod default\/web goes to /);
    expect(exitCode).toBe(0);
  });

  it('names the Pods that it knows for one that it does not', async () => {
    const file = workshop.file('all.yaml', node('node-1') + PREEMPTING);
    const { stderr, exitCode } = await runHere(workshop, ['why', '-f', file, 'second']);
    expect(stderr).toBe('error: pods "second" not found; the Pods to place are first\n');
    expect(exitCode).toBe(1);
  });
});
