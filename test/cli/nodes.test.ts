import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { PATIENT } from '../patience.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach({ leavesPods: true });

const APART = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } },
    ],
  },
};
const CONTAINERS = [{ name: 'main', image: 'busybox', command: ['sleep', '1000'] }];

function web(replicas: number, spec: object): string {
  return stringify({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { terminationGracePeriodSeconds: 0, containers: CONTAINERS, ...spec },
      },
    },
  });
}

async function nodesOfPods(): Promise<string[]> {
  const { stdout } = await workshop.run(['get', 'pods', '-o', 'jsonpath={.items[*].spec.nodeName}']);
  return stdout.trim().split(' ').toSorted();
}

describe('a run with several nodes', () => {
  it('spreads replicas that must not be together', async () => {
    const file = workshop.file('web.yaml', web(3, { affinity: APART }));
    const { exitCode } = await workshop.run(['apply', '-f', file, '--nodes', '3', '--until', 'ready', '-d']);
    expect(exitCode).toBe(0);
    expect(await nodesOfPods()).toEqual(['node-1', 'node-2', 'node-3']);
  });

  it('keeps replicas of one revision apart, by matchLabelKeys', async () => {
    const [term] = APART.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution;
    const required = [{ ...term, matchLabelKeys: ['pod-template-hash'] }];
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    const apply = async (env: object[], ...flags: string[]): Promise<number> => {
      const spec = { affinity, containers: [{ ...CONTAINERS[0], env }] };
      const file = workshop.file('web.yaml', web(2, spec));
      return (await workshop.run(['apply', '-f', file, ...flags])).exitCode;
    };
    expect(await apply([], '--nodes', '2', '--until', 'ready', '-d')).toBe(0);
    expect(await apply([{ name: 'NEW', value: 'text' }])).toBe(0);
    await workshop.run(['rollout', 'status', 'deployment/web']);
    const all = ['wait', 'pods', '--all', '--for=condition=Ready', '--timeout=30s'];
    expect((await workshop.run(all)).exitCode).toBe(0);
    expect(await nodesOfPods()).toEqual(['node-1', 'node-2']);
    const path = 'jsonpath={.items[*].spec.affinity.podAntiAffinity..matchExpressions[0].key}';
    expect((await workshop.run(['get', 'pods', '-o', path])).stdout).toBe('pod-template-hash pod-template-hash');
  });

  it('takes rules between nodes that have no effect on one node', async () => {
    const spread = [{ maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' }].map(
      (constraint) => ({ ...constraint, labelSelector: { matchLabels: { app: 'web' } } }),
    );
    const file = workshop.file('web.yaml', web(2, { topologySpreadConstraints: spread }));
    const flags = ['-f', file, '--strict', '--until', 'ready', '-d'];
    const refused = await workshop.run(['apply', ...flags]);
    expect(refused.stderr).toContain('there is one node; with --nodes it works as on a cluster');
    expect((await workshop.run(['apply', ...flags, '--nodes', '4', '--zones', '2'])).exitCode).toBe(0);
    const places = (await nodesOfPods()).map((name) => Number(name.replace('node-', '')) % 2);
    expect(new Set(places).size).toBe(2);
    expect((await workshop.run(['events'])).stdout).not.toContain('FieldHasNoEffect');
  });

  it('takes rules between nodes where the Nodes are declared by the manifests, behind the Pods', async () => {
    const node = (name: string): string =>
      stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name }, status: { capacity: { cpu: 4 } } });
    const near = [{ weight: 1, podAffinityTerm: { topologyKey: 'zone', labelSelector: {} } }];
    const affinity = { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: near } };
    const strict = async (...texts: string[]): Promise<number> => {
      const file = workshop.file('all.yaml', [web(1, { affinity }), ...texts].join('---\n'));
      return (await workshop.run(['apply', '-f', file, '--strict', '--until', 'ready', '-d'])).exitCode;
    };
    expect(await strict(node('a'))).not.toBe(0);
    expect(await strict(node('a'), node('b'))).toBe(0);
  });

  it('refuses Nodes that an API server refuses, with their places', async () => {
    const taints = [{ key: 'spot', effect: 'Never' }];
    const status = { capacity: { cpu: 'many' } };
    const node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'A', labels: { 'a b': 'c' } },
      spec: { taints },
      status,
    };
    const file = workshop.file('node.yaml', stringify(node));
    const { exitCode, stderr } = await workshop.run(['apply', '-f', file]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(
      /status\.capacity\[cpu\]: Invalid value: "many": quantities must match .*node\.yaml:13:\d+\)/,
    );
    const { status: _, ...sized } = node;
    workshop.file('node.yaml', stringify(sized));
    const validated = await workshop.run(['validate', 'node.yaml']);
    expect(validated.stdout).toMatch(/node\.yaml:4:9: error: Node A: metadata\.name: Invalid value: "A"/);
    expect(validated.stdout).toMatch(/node\.yaml:6:5: error: Node A: metadata\.labels: Invalid value: "a b"/);
    expect(validated.stdout).toMatch(/metadata\.taints\[0\]\.effect: Unsupported value: "Never"/);
    expect(validated.stdout).not.toContain('not checked');
  });

  it('leaves a replica Pending that no node takes, which is red', async () => {
    const file = workshop.file('web.yaml', web(3, { affinity: APART }));
    const { exitCode, stderr } = await workshop.run(['apply', '-f', file, '--nodes', '2', '--until', 'ready']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules.");
  });

  it('has the nodes of podrun.yaml, each with what it declares, and one kubelet each', async () => {
    const nodes = [
      { name: 'big', capacity: { cpu: '64' }, labels: { disk: 'ssd' }, zone: 'a' },
      { name: 'spot', count: 2, taints: ['spot=yes:NoSchedule'], zone: 'b' },
      { name: 'old', unschedulable: true },
    ];
    workshop.file('podrun.yaml', stringify({ nodes }));
    const file = workshop.file('web.yaml', web(2, { nodeSelector: { disk: 'ssd' } }));
    await workshop.run(['apply', '-f', file, '--config', 'podrun.yaml', '--until', 'ready', '-d']);
    expect(await nodesOfPods()).toEqual(['big', 'big']);
    const [name = ''] = (await workshop.run(['get', 'pods', '-o', 'name'])).stdout.split('\n');
    const advised = await workshop.run(['advise', name]);
    expect(advised.stdout).toContain('All 2 Pods of deployment/web are on big: it takes one node to lose them.');
    const { stdout } = await workshop.run(['get', 'nodes', '-o', 'json']);
    const { items } = JSON.parse(stdout) as { items: NodeObject[] };
    const seen = items.map(({ metadata, spec, status }) => [
      metadata.name,
      status.capacity['cpu'],
      metadata.labels['topology.kubernetes.io/zone'],
      (spec.taints ?? []).map(({ key }) => key).join(),
      status.conditions.find(({ type }) => type === 'Ready')?.status,
    ]);
    const own = seen[1]?.[1];
    expect(seen).toEqual([
      ['big', '64', 'a', '', 'True'],
      ['old', own, undefined, 'node.kubernetes.io/unschedulable', 'True'],
      ['spot-1', own, 'b', 'spot', 'True'],
      ['spot-2', own, 'b', 'spot', 'True'],
    ]);
    const addresses = items.map(({ status }) => status.addresses[0]?.address);
    expect(new Set(addresses).size).toBe(process.platform === 'linux' ? 4 : 1);
    const leases = await workshop.run(['get', 'leases', '-n', 'kube-node-lease', '-o', 'name']);
    expect(leases.stdout.trim().split('\n')).toHaveLength(4);
  });

  it('has a DaemonSet on each node that takes it, and evicts Pods that do not tolerate a taint', async () => {
    const { spec } = parse(web(1, {})) as { spec: object };
    const agent = { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'agent' } };
    const file = workshop.file('agent.yaml', stringify({ ...agent, spec: { ...spec, replicas: undefined } }));
    await workshop.run(['apply', '-f', file, '--nodes', '3', '--until', 'ready', '-d']);
    expect(await nodesOfPods()).toEqual(['node-1', 'node-2', 'node-3']);
    await workshop.run(['taint', 'node', 'node-2', 'repair:NoExecute']);
    await workshop.run(['wait', 'daemonset/agent', '--for', 'jsonpath={.status.currentNumberScheduled}=2']);
    expect(await nodesOfPods()).toEqual(['node-1', 'node-3']);
    await workshop.run(['taint', 'node', 'node-2', 'repair-']);
    await workshop.run(['wait', 'daemonset/agent', '--for', 'jsonpath={.status.numberReady}=3']);
    expect(await nodesOfPods()).toEqual(['node-1', 'node-2', 'node-3']);
  });

  it('replaces the Pods of a node that is removed, after 40 seconds in which it might come back', async () => {
    const file = workshop.file('web.yaml', web(2, { affinity: APART }));
    const podrun = workshop.begin(['apply', '-f', file, '--nodes', '3', '--speed', '30x']);
    await podrun.until(({ stdout }) => stdout.includes('2/2 ready'));
    const [lost = ''] = await nodesOfPods();
    await workshop.run(['delete', 'node', lost]);
    await podrun.until(({ stdout }) => (stdout.split('PodGC: node no longer exists')[1] ?? '').includes('2/2 ready'));
    const nodes = await nodesOfPods();
    expect(nodes).toHaveLength(2);
    expect(nodes).not.toContain(lost);
    const leases = await workshop.run(['get', 'leases', '-n', 'kube-node-lease', '-o', 'name']);
    expect(leases.stdout).not.toContain(lost);
  });

  it('keeps its nodes beside another run, which cannot declare different ones', async () => {
    const file = workshop.file('web.yaml', web(1, {}));
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { containers: CONTAINERS } };
    const other = workshop.file('pod.yaml', stringify(pod));
    await workshop.run(['apply', '-f', file, '--nodes', '2', '--until', 'ready', '-d']);
    const refused = await workshop.run(['apply', '-f', other, '--nodes', '3']);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain('another podrun runs Pods in this state folder, on node-1, node-2');
    await workshop.run(['apply', '-f', other, '--until', 'ready', '-d']);
    expect((await nodesOfPods()).every((name) => name.startsWith('node-'))).toBe(true);
  });
});

it('a run on this machine alone has no controllers of nodes', async () => {
  const file = workshop.file('web.yaml', web(1, {}));
  await workshop.run(['apply', '-f', file, '--until', 'ready', '-d']);
  expect((await workshop.run(['get', 'leases', '-A', '-o', 'name'])).stdout).toBe('');
});

it('the nodes of a killed run give way to the nodes of the next one', async () => {
  const file = workshop.file('web.yaml', web(1, {}));
  const killed = workshop.start(['apply', '-f', file, '--nodes', '2']);
  await killed.until(({ stdout }) => stdout.includes('1/1 ready'));
  killed.signal('SIGKILL');
  await killed.ended;
  const { exitCode } = await workshop.run(['apply', '-f', file, '--nodes', '3', '--until', 'ready', '-d']);
  expect(exitCode).toBe(0);
  const { stdout } = await workshop.run(['get', 'nodes', '-o', 'name']);
  expect(stdout.trim().split('\n')).toEqual(['node/node-1', 'node/node-2', 'node/node-3']);
  await workshop.run(['delete', 'deployment', 'web']);
  await workshop.run(['apply', '-f', file, '--until', 'ready', '-d']);
  expect((await workshop.run(['get', 'nodes', '-o', 'name'])).stdout).not.toContain('node-1');
  expect((await workshop.run(['get', 'leases', '-n', 'kube-node-lease', '-o', 'name'])).stdout).toBe('');
});

describe('podrun node', () => {
  const podsOf = async (): Promise<StoredPod[]> => {
    const { stdout } = await workshop.run(['get', 'pods', '-o', 'json']);
    return (JSON.parse(stdout) as { items: StoredPod[] }).items;
  };
  const onlyPod = async (): Promise<StoredPod> => {
    const [pod] = await podsOf();
    if (pod === undefined) throw new Error('there is no Pod');
    return pod;
  };
  const start = async (): Promise<StoredPod> => {
    const file = workshop.file('web.yaml', web(1, {}));
    await workshop.run(['apply', '-f', file, '--nodes', '2', '--until', 'ready', '-d']);
    return onlyPod();
  };

  it('kills what runs on a node that crashes, and runs it again when the node starts', async () => {
    const { metadata, spec } = await start();
    const node = spec.nodeName ?? '';
    expect((await workshop.run(['node', 'crash', node])).stdout).toBe(`node/${node} crashed\n`);
    const crashed = await workshop.run(['node']);
    expect(crashed.stdout).toMatch(new RegExp(`^${node} +Ready +crashed +1 `, 'm'));
    await workshop.run(['node', 'start', node]);
    const name = `pod/${metadata.name}`;
    const restarted = '--for=jsonpath={.status.containerStatuses[0].restartCount}=1';
    expect((await workshop.run(['wait', name, restarted, '--timeout=30s'])).exitCode).toBe(0);
    const { stdout } = await workshop.run(['events', '--for', `node/${node}`, '-o', 'json']);
    expect(stdout).toContain(`Node ${node} has been rebooted, boot id: `);
  });

  it('crashes a node also for an agent that hears of it only when the node has started again', async () => {
    const { metadata, spec } = await start();
    const owner = readFileSync(path.join(workshop.stateDir, 'pods/default', metadata.name, 'owner.json'), 'utf8');
    const { pid } = JSON.parse(owner) as { readonly pid: number };
    process.kill(pid, 'SIGSTOP');
    for (const action of ['crash', 'start']) await workshop.run(['node', action, spec.nodeName ?? '']);
    process.kill(pid, 'SIGCONT');
    const restarted = '--for=jsonpath={.status.containerStatuses[0].restartCount}=1';
    const wait = ['wait', `pod/${metadata.name}`, restarted, '--timeout=30s'];
    expect((await workshop.run(wait)).exitCode).toBe(0);
  });

  it('runs the Pods of a crashed node again, also when it was silenced meanwhile', async () => {
    const { metadata, spec } = await start();
    for (const action of ['crash', 'silence', 'start']) {
      expect((await workshop.run(['node', action, spec.nodeName ?? ''])).exitCode).toBe(0);
    }
    const restarted = '--for=jsonpath={.status.containerStatuses[0].restartCount}=1';
    const wait = ['wait', `pod/${metadata.name}`, restarted, '--timeout=30s'];
    expect((await workshop.run(wait)).exitCode).toBe(0);
  });

  it('moves the Pods of a lost node elsewhere, and lets the kubelet end them at its return', async () => {
    const file = workshop.file('web.yaml', web(1, { terminationGracePeriodSeconds: 1 }));
    const apply = workshop.begin(['apply', '-f', file, '--nodes', '2', '--speed', '100']);
    await apply.until(({ stdout }) => stdout.includes('1/1 ready'));
    const lost = await onlyPod();
    const node = lost.spec.nodeName ?? '';
    await workshop.run(['node', 'silence', node]);
    const gone = ['wait', `pod/${lost.metadata.name}`, '--for=delete', '--timeout=30s'];
    // NotReady after 50 s, evicted 300 s later: 4 s of this clock.
    const tainted = '--for=jsonpath={.spec.taints[?(@.effect=="NoExecute")].key}=node.kubernetes.io/unreachable';
    expect((await workshop.run(['wait', `node/${node}`, tainted, '--timeout=30s'])).exitCode).toBe(0);
    await apply.until(({ stdout }) => stdout.split('1/1 ready').length > 2);
    const pods = await podsOf();
    const places = pods.map(({ spec }) => (spec.nodeName === node ? 'lost' : 'elsewhere'));
    expect(places.toSorted()).toEqual(['elsewhere', 'lost']);
    await workshop.run(['node', 'start', node]);
    expect((await workshop.run(gone)).exitCode).toBe(0);
    expect((await podsOf()).map(({ spec }) => spec.nodeName)).not.toContain(node);
    apply.signal('SIGINT');
    await apply.ended;
  });

  it('ends the Pods of a node that shuts down, which is off afterwards', async () => {
    const { metadata, spec } = await start();
    const node = spec.nodeName ?? '';
    await workshop.run(['node', 'shutdown', node, '--grace', '3s']);
    const failed = ['wait', `pod/${metadata.name}`, '--for=jsonpath={.status.phase}=Failed', '--timeout=30s'];
    expect((await workshop.run(failed)).exitCode).toBe(0);
    const ended = (await podsOf()).find((pod) => pod.metadata.name === metadata.name);
    expect(ended?.status).toMatchObject({
      reason: 'Terminated',
      message: 'Pod was terminated in response to imminent node shutdown.',
    });
    const off = ['wait', `node/${node}`, '--for=condition=Ready=False', '--timeout=30s'];
    expect((await workshop.run(off)).exitCode).toBe(0);
  });

  it('rejects Pods that come to a node while it shuts down', async () => {
    const stubborn = {
      containers: [{ ...CONTAINERS[0], command: ['sh', '-c', 'trap "" TERM; sleep 1000 & wait; wait'] }],
    };
    const file = workshop.file('web.yaml', web(1, stubborn).replace('GracePeriodSeconds: 0', 'GracePeriodSeconds: 30'));
    await workshop.run(['apply', '-f', file, '--nodes', '2', '--until', 'ready', '-d']);
    const node = (await onlyPod()).spec.nodeName ?? '';
    await workshop.run(['node', 'shutdown', node, '--grace', '60s']);
    await workshop.run(['wait', `node/${node}`, '--for=condition=Ready=False', '--timeout=30s']);
    const late = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'late' } };
    const spec = { nodeName: node, containers: CONTAINERS };
    await workshop.run(['apply', '-d', '-f', workshop.file('late.yaml', stringify({ ...late, spec }))]);
    const failed = ['wait', 'pod/late', '--for=jsonpath={.status.reason}=NodeShutdown', '--timeout=30s'];
    expect((await workshop.run(failed)).exitCode).toBe(0);
    await workshop.run(['delete', 'pods', '--all', '--force']);
  });

  it('keeps as many ended Pods as podrun.yaml says, the latest', async () => {
    const pod = (name: string, command: readonly string[]): string => {
      const spec = { restartPolicy: 'Never', terminationGracePeriodSeconds: 0 };
      const containers = [{ name: 'main', image: 'busybox', command }];
      return stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { ...spec, containers } });
    };
    workshop.file('podrun.yaml', 'terminatedPodGCThreshold: 1\n');
    const pods = [pod('first', ['true']), pod('last', ['sleep', '1']), pod('server', ['sleep', '1000'])];
    const file = workshop.file('pods.yaml', pods.join('---\n'));
    const run = workshop.begin(['apply', file, '--config', 'podrun.yaml', '--nodes', '2', '--speed', '20']);
    const left = async (): Promise<string> => (await workshop.run(['get', 'pods', '-o', 'name'])).stdout;
    await expect.poll(left, PATIENT).toBe('pod/last\npod/server\n');
    run.signal('SIGINT');
    await run.ended;
  });

  it('needs a declared node', async () => {
    const { exitCode, stderr } = await workshop.run(['node', 'crash', 'node-1']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('nodes "node-1" not found');
  });

  it.each([['melt'], ['melt', 'node-1'], ['toString', 'node-1']])(
    'refuses an action that it does not have: %s %s',
    async (...words) => {
      const { exitCode, stderr } = await workshop.run(['node', ...words]);
      expect(exitCode).toBe(2);
      expect(stderr).toContain(`podrun node has no action ${words[0]}`);
    },
  );
});

interface NodeObject {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly taints?: ReadonlyArray<{ readonly key: string }> };
  readonly status: {
    readonly capacity: Readonly<Record<string, string>>;
    readonly addresses: ReadonlyArray<{ readonly address: string }>;
    readonly conditions: ReadonlyArray<{ readonly type: string; readonly status: string }>;
  };
}
