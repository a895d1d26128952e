import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { isTerminalPhase, type StoredPod } from '../../../src/api/base/objects.ts';
import type { KubeletState } from '../../../src/settings/index.ts';
import { ClusterWorld } from './cluster-world.ts';

/** Each takes half a second: `npm run test:slow` tries three times as many. */
const SEEDS = Math.min(60, Number(process.env['PODRUN_SEEDS'] ?? 20));
const CORES = 4;
const MIN_AVAILABLE = 2;
/** All evictions, quarantines and back-offs are over. */
const QUIET_MS = 1_200_000;

interface Step {
  readonly what: 'fault' | 'taint' | 'cordon' | 'remove' | 'add' | 'evict' | 'delete';
  readonly which: number;
  readonly state: KubeletState;
  readonly pauseMs: number;
}

const scenario = fc.record({
  nodes: fc.integer({ min: 2, max: 5 }),
  zones: fc.integer({ min: 1, max: 2 }),
  workloads: fc.array(
    fc.record({
      kind: fc.constantFrom('Deployment', 'StatefulSet', 'DaemonSet'),
      replicas: fc.integer({ min: 1, max: 4 }),
      cpu: fc.constantFrom(1, 2, 3),
      priority: fc.constantFrom(0, 0, 100),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  steps: fc.array(
    fc.record<Step>({
      what: fc.constantFrom('fault', 'fault', 'fault', 'taint', 'cordon', 'remove', 'add', 'evict', 'evict', 'delete'),
      which: fc.nat(9),
      state: fc.constantFrom('crashed', 'silent', 'shutdown', 'running', 'running'),
      pauseMs: fc.constantFrom(0, 1000, 45_000, 130_000, 400_000),
    }),
    { minLength: 1, maxLength: 12 },
  ),
});

type Scenario = typeof scenario extends fc.Arbitrary<infer T> ? T : never;

function workload({ kind, replicas, cpu, priority }: Scenario['workloads'][number], index: number): object {
  const labels = { app: `w${index}` };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: `w${index}`, namespace: 'default' },
    spec: {
      ...(kind !== 'DaemonSet' && { replicas }),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          priority,
          containers: [{ name: 'main', image: 'app', resources: { requests: { cpu: String(cpu) } } }],
        },
      },
    },
  };
}

const budget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'w0', namespace: 'default' },
  spec: { minAvailable: MIN_AVAILABLE, selector: { matchLabels: { app: 'w0' } } },
};

const coresOf = ({ spec }: StoredPod): number => Number(spec.containers[0]?.resources?.requests?.['cpu']);
const isLive = ({ status }: StoredPod): boolean => !isTerminalPhase(status.phase);
const isReady = ({ metadata, status }: StoredPod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

/** Collects what must not be: a Pod that changes its node, a node that has more than it has room for. */
function watchPods(world: ClusterWorld): readonly string[] {
  const nodeOf = new Map<string, string>();
  const wrong: string[] = [];
  world.store.watch<StoredPod>('pods', {}, ({ object: { metadata, spec } }) => {
    const before = nodeOf.get(metadata.uid);
    if (before !== undefined && spec.nodeName !== before) wrong.push(`${metadata.name}: ${before}, ${spec.nodeName}`);
    if (spec.nodeName === undefined) return;
    nodeOf.set(metadata.uid, spec.nodeName);
    const used = world.pods.filter((pod) => pod.spec.nodeName === spec.nodeName && isLive(pod)).map(coresOf);
    const cores = used.reduce((sum, one) => sum + one, 0);
    if (cores > CORES) wrong.push(`${spec.nodeName} has ${CORES} cores, and Pods with ${cores}`);
  });
  return wrong;
}

function act(world: ClusterWorld, { what, which, state }: Step): void {
  const nodes = world.nodes.map(({ metadata }) => metadata.name);
  const name = nodes[which % nodes.length];
  const pod = world.pods[which % Math.max(1, world.pods.length)];
  if (what === 'add') return world.addNode(`new-${which}`, { cpu: String(CORES) });
  if (what === 'evict' && pod !== undefined) return evict(world, pod);
  if (what === 'delete' && pod !== undefined) return void world.store.delete('pods', 'default', pod.metadata.name);
  if (name === undefined) return;
  if (what === 'fault') world.fault(name, state);
  if (what === 'taint') world.changeNode(name, [{ key: 'k', effect: which > 4 ? 'NoExecute' : 'NoSchedule' }], false);
  if (what === 'cordon') world.changeNode(name, [], true);
  if (what === 'remove' && nodes.length > 2) world.removeNode(name);
}

/** A budget holds for the Pods that are ready: an eviction that it permits leaves as many as it asks for. */
function evict(world: ClusterWorld, pod: StoredPod): void {
  const isOfBudget = pod.metadata.labels?.['app'] === 'w0';
  const healthy = world.pods.filter((one) => one.metadata.labels?.['app'] === 'w0' && isReady(one));
  if (world.evict(pod) && isOfBudget && isReady(pod)) expect(healthy.length).toBeGreaterThan(MIN_AVAILABLE);
}

async function live({ nodes, zones, workloads, steps }: Scenario): Promise<string> {
  const names = Array.from({ length: nodes }, (_, index) => `node-${index + 1}`);
  const world = new ClusterWorld(
    names.map((name, index) => ({
      name,
      capacity: { cpu: String(CORES) },
      labels: { 'topology.kubernetes.io/zone': `zone-${index % zones}` },
    })),
  );
  const wrong = watchPods(world);
  world.apply(budget);
  workloads.forEach((one, index) => world.apply(workload(one, index)));
  await world.clock.run(60_000);
  for (const step of steps) {
    act(world, step);
    await world.clock.run(step.pauseMs);
  }
  for (const { metadata } of world.nodes) world.heal(metadata.name);
  await world.clock.run(QUIET_MS);
  expect(wrong).toEqual([]);
  expectRest(world);
  const end = world.pods.map(({ metadata, spec }) => `${metadata.name} ${spec.nodeName}`).join();
  world.agent.stop();
  await world.clock.run(QUIET_MS);
  expect(world.agent.hasStopped).toBe(true);
  return end;
}

/** All nodes are well again: each Pod runs, or there is no room for it, and nothing is under way. */
function expectRest(world: ClusterWorld): void {
  for (const { status } of world.nodes)
    expect(status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
  const pods = world.pods.filter(isLive);
  const free = world.nodes.map(({ metadata }) => {
    const own = pods.filter(({ spec }) => spec.nodeName === metadata.name).map(coresOf);
    return CORES - own.reduce((sum, cores) => sum + cores, 0);
  });
  for (const pod of pods) {
    expect([pod.metadata.name, pod.metadata.deletionTimestamp]).toEqual([pod.metadata.name, undefined]);
    if (pod.spec.nodeName !== undefined) expect([pod.metadata.name, isReady(pod)]).toEqual([pod.metadata.name, true]);
    else if (pod.spec.affinity === undefined) expect(Math.max(...free)).toBeLessThan(coresOf(pod));
  }
}

it('whatever happens to nodes, no Pod has two, none has too many, budgets hold, and everything ends', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (one) => void (await live(one))),
    { numRuns: SEEDS, seed: 1 },
  );
});

const step = (what: Step['what'], which: number, state: KubeletState, pauseMs: number): Step => {
  return { what, which, state, pauseMs };
};
const deployment = (replicas: number, cpu: 1 | 3): Scenario['workloads'][number] => {
  return { kind: 'Deployment', replicas, cpu, priority: 0 };
};

it.each<[string, Partial<Scenario>]>([
  [
    'a Pod that returns with its node has its room before a Pod that waits',
    { workloads: [deployment(2, 3), deployment(1, 1)], steps: [step('fault', 0, 'crashed', 400_000)] },
  ],
  [
    'a Pod that was deleted while its node was down is over',
    { steps: [step('fault', 0, 'crashed', 0), step('delete', 0, 'crashed', 0)] },
  ],
  [
    'a Pod that has ended on a silent node and was deleted meanwhile is over',
    {
      steps: [
        step('fault', 0, 'silent', 0),
        step('fault', 0, 'shutdown', 0),
        step('delete', 0, 'crashed', 0),
        step('fault', 0, 'running', 0),
      ],
    },
  ],
  [
    'a Pod of a node that falls silent before it runs, and that is deleted meanwhile, is over',
    {
      workloads: [deployment(2, 1)],
      steps: [
        step('fault', 1, 'shutdown', 0),
        step('fault', 1, 'crashed', 0),
        step('taint', 5, 'crashed', 0),
        step('fault', 0, 'crashed', 0),
      ],
    },
  ],
])('%s', async (_, { workloads = [deployment(1, 1)], steps = [] }) => {
  expect(await live({ nodes: 2, zones: 1, workloads, steps })).not.toBe('');
});

it('the same nodes, workloads and faults end the same each time', async () => {
  for (const one of fc.sample(scenario, { seed: 2, numRuns: 10 })) expect(await live(one)).toBe(await live(one));
});
