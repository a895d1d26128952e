import { describe, expect, it } from 'vitest';
import type { Taint, Toleration } from '../../src/api/index.ts';
import { nodeFit } from '../../src/controllers/daemon-set/daemon-pod.ts';
import type { StoredDaemonSet } from '../../src/controllers/base/reconcile.ts';
import type { NodeFacts } from '../../src/lifecycle/index.ts';
import { templateOf } from '../controllers/manifests.ts';
import { readCases } from './cases.ts';
import { type Beginning, type Line, NO_PRESSURE, NodeWorld, podOn, taintOf } from './node-world.ts';

interface DaemonSetRow {
  readonly node: string;
  readonly template: string;
  readonly shouldRun: boolean;
  readonly shouldContinueRunning: boolean;
}

interface Facts {
  readonly timelines: Readonly<Record<string, readonly Line[]>>;
  readonly daemonSets: readonly DaemonSetRow[];
}

const { data, options } = readCases<Facts>('node-facts.json');

const forSeconds = (key: string, tolerationSeconds?: number): Toleration => {
  return {
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    ...(tolerationSeconds !== undefined && { tolerationSeconds }),
  };
};
const unreachable = (seconds?: number): Toleration => forSeconds('node.kubernetes.io/unreachable', seconds);
const oneZone = (...names: string[]): Record<string, string> => Object.fromEntries(names.map((name) => [name, 'a']));
const podsOn = (...names: string[]): Beginning['pods'] =>
  names.map((name) => podOn(name, `pod-on-${name}`, [unreachable(1)]));

const THREE = oneZone('n1', 'n2', 'n3');

/** The beginnings of the timelines. The facts say what was done to them, and the tests of Kubernetes had these Pods. */
const BEGINNINGS: Readonly<Record<string, Beginning>> = {
  'NoExecute taints, tolerationSeconds, cancel': {
    nodes: THREE,
    pods: [
      podOn('n3', 'a', [forSeconds('k', 60)]),
      podOn('n3', 'b', [forSeconds('k')]),
      podOn('n3', 'two', [forSeconds('k', 60), forSeconds('k', 1)]),
    ],
  },
  'a Node object is deleted (quarantine 1 s instead of 40)': { nodes: THREE, pods: [podOn('n3', 'orphan')] },
  'a Node whose kubelet never posted (startup grace 1.5 s instead of 60)': {
    nodes: oneZone('n1', 'n2', 'n3', 'n4'),
    unposted: ['n4'],
    pods: [],
  },
  'a kubelet reports Ready=False': {
    nodes: THREE,
    pods: [podOn('n3', 'a', [forSeconds('node.kubernetes.io/not-ready', 1)])],
  },
  'all nodes become silent, one returns': { nodes: THREE, pods: [podOn('n3', 'a', [unreachable(1)])] },
  'all three nodes of one zone become silent, another zone lives': {
    nodes: { ...THREE, n4: 'b' },
    pods: podsOn('n1', 'n2', 'n3'),
  },
  'one of three nodes becomes silent and returns': {
    nodes: THREE,
    pods: [
      podOn('n3', 'daemon', [unreachable()]),
      podOn('n3', 'no-toleration'),
      podOn('n3', 'tolerates-2s', [unreachable(2)]),
      podOn('n3', 'tolerates-60s', [unreachable(60)]),
    ],
  },
  'taint out-of-service on a silent node, with a terminating Pod': {
    nodes: THREE,
    pods: [podOn('n3', 'stuck', [], '2026-11-30T00:00:30Z'), podOn('n3', 'not-deleted-yet')],
  },
  'taints by condition and by cordon': { nodes: THREE, pods: [] },
  'three of four nodes of a zone become silent': {
    nodes: oneZone('n1', 'n2', 'n3', 'n4'),
    pods: podsOn('n1', 'n2', 'n3', 'n4'),
  },
  'two of three nodes of a zone become silent': { nodes: THREE, pods: podsOn('n1', 'n2', 'n3') },
};

const withTaints =
  (...taints: Taint[]): Parameters<NodeWorld['change']>[1] =>
  (node) => ({ ...node, spec: { ...node.spec, taints: [...(node.spec?.taints ?? []), ...taints] } });

/** Does what the test of a timeline did. */
function act(world: NodeWorld, what: string): void {
  const text = what.replace('--- ', '');
  const [, names = ''] = /\[(.*)\]/.exec(text) ?? [];
  const [name = 'n3'] = /\bn\d\b/.exec(text) ?? [];
  const [, reported = ''] = /reports (.*)/.exec(text) ?? [];
  if (text.startsWith('taint removed')) {
    world.change('n3', (node) => ({ ...node, spec: { ...node.spec, taints: [] } }));
  } else if (text.startsWith('two taints'))
    world.change('n3', withTaints(taintOf('k=v:NoExecute'), taintOf('x=:NoExecute')));
  else if (text.startsWith('taint ')) world.change('n3', withTaints(taintOf(text.replace('taint ', ''))));
  else if (text.endsWith('is deleted')) world.change(name, () => undefined);
  else if (text.endsWith('is cordoned')) {
    world.change(name, (node) => ({ ...node, spec: { ...node.spec, unschedulable: true } }));
  } else if (text.includes('is uncordoned')) {
    world.report(name, NO_PRESSURE, (node) => ({ ...node, spec: { ...node.spec, unschedulable: false } }));
  } else if (reported === 'Ready=False') world.report(name, { Ready: 'False' });
  else if (reported) world.report(name, Object.fromEntries(reported.split(', ').map((type) => [type, 'True'])));
  else if (text.startsWith('all ')) world.silence(world.nodeNames);
  else if (names) world.silence(names.split(' '));
  else if (text.endsWith('silent')) world.silence([name]);
  else if (/returns|again/.test(text)) world.wake(name);
  else throw new Error(`the facts do something unknown: ${what}`);
}

/** The time by which a line may differ: a period of the controllers' looks, and the turns of nodes are in any order. */
const TOLERANCE_MS = 250;
/** The same for two lines of which one causes the other. */
const GAP_TOLERANCE_MS = 30;

const isAct = ({ what }: Line): boolean => what.startsWith('---');
const NO_EXECUTE = /^Node (\S+): taints .*unreachable:NoExecute$/;

/** Carries out the acts of a timeline. Returns all that the controllers did, as far as the facts have it. */
function run(title: string, facts: readonly Line[]): Line[] {
  const beginning = BEGINNINGS[title];
  if (beginning === undefined) throw new Error(`the beginning of the timeline is unknown: ${title}`);
  const world = new NodeWorld(beginning);
  for (const { atMs, what } of facts.filter(isAct)) {
    world.runUntil(atMs);
    act(world, what);
  }
  world.runUntil((facts.at(-1)?.atMs ?? 0) + 2 * TOLERANCE_MS);
  // Most recordings begin after the controllers have met the nodes.
  const hasFirstLook = facts.some(({ what }) => what.includes('RegisteredNode'));
  return world.lines.filter(({ what }) => hasFirstLook || !what.includes('RegisteredNode'));
}

/** The lines about one object from one side: events come beside the writes, and objects beside each other. */
function bySubject(lines: readonly Line[]): Record<string, Line[]> {
  const subject = (what: string): string => /^event .* on \S+|^\S+ [^:]+/.exec(what)?.[0] ?? what;
  const groups: Record<string, Line[]> = {};
  for (const line of lines) (groups[subject(line.what)] ??= []).push(line);
  return groups;
}

const texts = (lines: readonly Line[]): string[] => lines.map(({ what }) => what);

/** The times between the NoExecute taints of nodes: the rate of their zone. */
function pausesOf(lines: readonly Line[]): number[] {
  const times = lines.filter(({ what }) => NO_EXECUTE.test(what)).map(({ atMs }) => atMs);
  return times.slice(1).map((time, index) => time - (times[index] ?? 0));
}

/** The times between the NoExecute taint of a node and the deletions of its Pods, by Pods. */
function tolerancesOf(lines: readonly Line[], pods: Beginning['pods']): Record<string, number> {
  const taintedMs = new Map(lines.map(({ what, atMs }) => [NO_EXECUTE.exec(what)?.[1], atMs]));
  return Object.fromEntries(
    lines.flatMap(({ what, atMs }) => {
      const [, name] = /^Pod (\S+): DELETE/.exec(what) ?? [];
      const from = taintedMs.get(pods.find(({ metadata }) => metadata.name === name)?.spec.nodeName);
      return name === undefined || from === undefined ? [] : [[name, atMs - from]];
    }),
  );
}

function expectClose(got: readonly number[], wanted: readonly number[], toleranceMs: number): void {
  expect(got.length).toBe(wanted.length);
  const worst = Math.max(0, ...wanted.map((time, index) => Math.abs(time - (got[index] ?? Infinity))));
  expect(worst, `${got.join(' ')} instead of ${wanted.join(' ')} ms`).toBeLessThanOrEqual(toleranceMs);
}

describe('the controllers of nodes, as Kubernetes has them', options, () => {
  it.each(Object.entries(data?.timelines ?? {}))('%s', (title, facts) => {
    const wanted = facts.filter((line) => !isAct(line));
    const got = run(title, facts);
    expect(texts(got).toSorted()).toEqual(texts(wanted).toSorted());
    const subjects = bySubject(got);
    for (const [subject, lines] of Object.entries(bySubject(wanted))) {
      expect(texts(subjects[subject] ?? [])).toEqual(texts(lines));
      const times = (of: readonly Line[]): number[] => of.map(({ atMs }) => atMs);
      expectClose(times(subjects[subject] ?? []), times(lines), TOLERANCE_MS);
    }
    expectClose(pausesOf(got), pausesOf(wanted), GAP_TOLERANCE_MS);
    const pods = BEGINNINGS[title]?.pods ?? [];
    const [gotTolerances, wantedTolerances] = [got, wanted].map((lines) => tolerancesOf(lines, pods));
    expect(Object.keys(gotTolerances ?? {}).toSorted()).toEqual(Object.keys(wantedTolerances ?? {}).toSorted());
    for (const [name, ms] of Object.entries(wantedTolerances ?? {})) {
      expectClose([gotTolerances?.[name] ?? Infinity], [ms], name === 'stuck' ? TOLERANCE_MS : GAP_TOLERANCE_MS);
    }
  });
});

const noSchedule = (...keys: string[]): Taint[] =>
  keys.map((key) => ({ key: `node.kubernetes.io/${key}`, effect: 'NoSchedule' }));
const noExecute = (key: string): Taint => ({ key: `node.kubernetes.io/${key}`, effect: 'NoExecute' });

/** The nodes of the rows, by their names there: their taints. */
const TAINTS: Readonly<Record<string, readonly Taint[]>> = {
  plain: [],
  'cordoned (unschedulable and its taint)': noSchedule('unschedulable'),
  'not-ready NoSchedule and NoExecute': [...noSchedule('not-ready'), noExecute('not-ready')],
  'unreachable NoSchedule and NoExecute': [...noSchedule('unreachable'), noExecute('unreachable')],
  'memory-, disk-, pid-pressure': noSchedule('memory-pressure', 'disk-pressure', 'pid-pressure'),
  'network-unavailable': noSchedule('network-unavailable'),
  'out-of-service:NoExecute': [noExecute('out-of-service')],
};

const NOTHING: Pick<NodeFacts, 'allocatable' | 'hostIPs'> = { allocatable: {}, hostIPs: ['127.0.0.1'] };

/** The templates of the rows: what they add to a Pod. */
const TEMPLATES: Readonly<Record<string, object>> = {
  plain: {},
  hostNetwork: { hostNetwork: true },
  'nodeSelector disk=ssd (the node lacks it)': { nodeSelector: { disk: 'ssd' } },
  'nodeName n2': { nodeName: 'n2' },
  'tolerates dedicated': { tolerations: [{ key: 'dedicated', operator: 'Exists' }] },
};

describe('the nodes of a DaemonSet, as its controller judges them', options, () => {
  it.each((data?.daemonSets ?? []).map((row) => [row.node, row.template, row] as const))('%s, %s', (...[, , row]) => {
    const taints = TAINTS[row.node] ?? [taintOf(row.node)];
    const node: NodeFacts = { name: 'n1', labels: {}, taints, isCordoned: row.node.startsWith('cordoned'), ...NOTHING };
    const template = templateOf('1');
    const spec = { template: { ...template, spec: { ...template.spec, ...TEMPLATES[row.template] } } };
    expect(TEMPLATES).toHaveProperty([row.template]);
    const { shouldRun, mayStay } = nodeFit({ metadata: { name: 'agent' }, spec } as unknown as StoredDaemonSet, node);
    expect({ shouldRun, mayStay }).toEqual({ shouldRun: row.shouldRun, mayStay: row.shouldContinueRunning });
  });
});
