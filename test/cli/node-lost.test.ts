import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach({ leavesPods: true });

const PODRUN = fileURLToPath(new URL('../../bin/podrun.js', import.meta.url));
const CONTAINERS = [{ name: 'main', image: 'busybox', command: ['sleep', '1000'] }];

const templateOf = (spec: object): object => ({ metadata: { labels: { app: 'web' } }, spec });

function workload(kind: string, spec: object): string {
  return stringify({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'web' },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { terminationGracePeriodSeconds: 1, containers: CONTAINERS },
      },
      ...spec,
    },
  });
}

/** The time by which all Pods are Ready on a busy machine, too: with `--speed 100`, six seconds. */
const ALL_READY = '600s';

describe('a run that loses a node by plan', () => {
  it('tells where Pods are, what becomes of the node, and draws both', async () => {
    const file = workshop.file('web.yaml', workload('Deployment', { replicas: 3 }));
    const fault = `node:node-2=crash@${ALL_READY}+600s`;
    const podrun = workshop.start(['apply', '-f', file, '--nodes', '3', '--speed', '100', '--inject', fault]);
    // The Pod is replaced, and the kubelet is back.
    await podrun.until(({ stdout }) => stdout.includes('Rebooted'));
    podrun.signal('SIGINT');
    const { stdout } = await podrun.ended;
    const timeline = await workshop.run(['timeline']);
    const records = (await workshop.run(['timeline', '-o', 'json'])).stdout.trim().split('\n');
    const page = (await workshop.run(['timeline', '-o', 'html'])).stdout;
    for (const name of ['node-1', 'node-2', 'node-3']) {
      expect(stdout).toMatch(new RegExp(`web-\\w+-\\w+ +Pending, scheduled on ${name}; waits for main`));
    }
    const ofNode = [...stdout.matchAll(/node\/node-2 +(\w+)/g)].map(([, word]) => word);
    expect(ofNode).toEqual(['FaultInjected', 'NotReady', 'FaultOver', 'Rebooted']);
    expect(timeline.stdout).toMatch(/^web-\w+-\w+: on node-2, Ready after /m);
    expect(timeline.stdout).toMatch(/^node\/node-1 +[0-2]+$/m);
    expect(timeline.stdout).toMatch(/^node\/node-2 +0*1+\?+[01]*$/m);
    expect(timeline.stdout).toContain('? node away');
    const nodes = records.map((line) => (JSON.parse(line) as { readonly node: string }).node);
    expect(nodes).toHaveLength(4);
    expect(new Set(nodes)).toEqual(new Set(['node-1', 'node-2', 'node-3']));
    expect(page).toContain('aria-label="node/node-2"');
    expect(page).toContain('node/node-2: crashed');
  });

  // A Deployment then has its Pods elsewhere, and a StatefulSet waits for its Pod on the lost node.
  const UNTIL_EVICTED = 'until "$@" get events | grep -q TaintManagerEviction; do sleep 0.2; done';
  it.each([
    ['Deployment', `${UNTIL_EVICTED}; "$@" wait deployment/web --for=jsonpath={.status.readyReplicas}=3`, 0, ''],
    ['StatefulSet', UNTIL_EVICTED, 1, 'statefulset "web" stopped being ready while COMMAND was running: 2/3'],
  ])('is judged by what a %s has at its end', async (kind, script, exitCode, error) => {
    const file = workshop.file('web.yaml', workload(kind, { replicas: 3 }));
    const flags = ['--nodes', '3', '--speed', '100', '--inject', `node:node-2=crash@${ALL_READY}`, '--until', 'ready'];
    const command = ['sh', '-c', script, 'sh', process.execPath, PODRUN];
    const ended = await workshop.run(['apply', '-f', file, ...flags, '--', ...command]);
    expect(ended.exitCode).toBe(exitCode);
    expect(ended.stderr).toContain(error);
  });

  it('tells in the matrix which nodes were lost', async () => {
    const file = workshop.file('web.yaml', workload('Deployment', { replicas: 3 }));
    const flags = ['--nodes', '3', '--seeds', '2', '--jobs', '2', '--inject', 'node=crash@1s'];
    const { exitCode, stdout } = await workshop.run(['matrix', file, ...flags, '--for', '4s', '-o', 'json']);
    const { runs } = JSON.parse(stdout) as { readonly runs: ReadonlyArray<Readonly<Record<string, unknown>>> };
    const seen = runs.map(({ seed, faults, nodesLost }) => ({ seed, faults, nodesLost }));
    expect(seen).toEqual([1, 2].map((seed) => ({ seed, faults: 1, nodesLost: [expect.stringMatching(/^node-\d$/)] })));
    expect(exitCode).toBe(0);
  });
});

it('one apply takes the room of another, which keeps the rest', async () => {
  workshop.file('podrun.yaml', stringify({ nodes: [{ name: 'node', count: 2, capacity: { cpu: '2' } }] }));
  const spec = (priorityClassName?: string): object => ({
    terminationGracePeriodSeconds: 0,
    containers: [{ ...CONTAINERS[0], resources: { requests: { cpu: '2' } } }],
    ...(priorityClassName && { priorityClassName }),
  });
  const low = workshop.file('low.yaml', workload('Deployment', { replicas: 2, template: templateOf(spec()) }));
  const metadata = { name: 'high' };
  const high = stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec: spec('system-node-critical') });
  expect((await workshop.run(['apply', '-f', low, '--until', 'ready', '-d'])).exitCode).toBe(0);
  const second = await workshop.run(['apply', '-f', workshop.file('high.yaml', high), '--until', 'ready', '-d']);
  expect(second.exitCode).toBe(0);
  const { stdout } = await workshop.run(['get', 'pods', '-o', 'json']);
  const { items } = JSON.parse(stdout) as { readonly items: readonly StoredPod[] };
  const onNodes = items.filter((pod) => pod.spec.nodeName !== undefined);
  expect(onNodes.map((pod) => pod.metadata.name.replace(/-.*/, '')).toSorted()).toEqual(['high', 'web']);
  expect(new Set(onNodes.map((pod) => pod.spec.nodeName))).toEqual(new Set(['node-1', 'node-2']));
  expect((await workshop.run(['get', 'events'])).stdout).toMatch(
    /Preempted +pod\/web-\S+ +Preempted by pod \S+ on node node-\d/,
  );
});
