import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { homesOf, isFace } from '../../faces.mjs';
import { filesBelow, importsOf, sourcesBelow } from './source.ts';

/** Pure layers: objects in, objects or text out. */
const PURE = ['api', 'machine', 'lifecycle', 'controllers', 'history', 'print'];

/**
 * The imports between rooms. They go one way.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  api: [],
  clock: ['api', 'defects'],
  quietly: [],
  'exact-mode': [],
  defects: [],
  'defect-file': ['quietly', 'defects', 'version'],
  'remove-tree': ['quietly'],
  user: ['api', 'quietly'],
  'build-file': ['remove-tree'],
  'machine-id': ['quietly'],
  version: [],
  machine: ['api'],
  lifecycle: ['api'],
  controllers: ['api', 'lifecycle'],
  history: ['api', 'machine', 'lifecycle'],
  manifest: ['api', 'history'],
  print: ['api', 'machine', 'lifecycle', 'controllers', 'history', 'manifest'],
  store: [
    'api',
    'clock',
    'quietly',
    'defects',
    'remove-tree',
    'user',
    'machine-id',
    'machine',
    'lifecycle',
    'history',
    'runtime',
  ],
  runtime: [
    'api',
    'clock',
    'quietly',
    'exact-mode',
    'defects',
    'remove-tree',
    'user',
    'build-file',
    'machine-id',
    'machine',
  ],
  network: [
    'api',
    'clock',
    'quietly',
    'defects',
    'defect-file',
    'build-file',
    'version',
    'machine',
    'lifecycle',
    'controllers',
    'store',
    'runtime',
  ],
  settings: ['api', 'clock', 'quietly', 'user', 'machine', 'lifecycle', 'store', 'runtime', 'network'],
  images: [
    'api',
    'clock',
    'quietly',
    'exact-mode',
    'defects',
    'remove-tree',
    'user',
    'build-file',
    'machine-id',
    'version',
    'machine',
    'lifecycle',
    'store',
    'runtime',
    'settings',
  ],
  apiserver: [
    'api',
    'clock',
    'quietly',
    'defects',
    'user',
    'version',
    'lifecycle',
    'controllers',
    'manifest',
    'print',
    'store',
    'runtime',
    'network',
    'settings',
  ],
  workloads: ['api', 'clock', 'defects', 'lifecycle', 'controllers', 'manifest', 'store', 'network', 'apiserver'],
  kubelet: [
    'api',
    'clock',
    'quietly',
    'exact-mode',
    'defects',
    'remove-tree',
    'user',
    'lifecycle',
    'controllers',
    'manifest',
    'store',
    'runtime',
    'network',
    'settings',
    'images',
    'apiserver',
  ],
  engine: [
    'api',
    'clock',
    'quietly',
    'defects',
    'version',
    'machine',
    'lifecycle',
    'controllers',
    'manifest',
    'store',
    'runtime',
    'network',
    'settings',
    'apiserver',
    'workloads',
    'kubelet',
  ],
  experiments: ['api', 'clock', 'defects', 'lifecycle', 'runtime', 'kubelet', 'engine'],
  simulation:
    'api clock defects lifecycle controllers manifest store runtime settings apiserver workloads kubelet'.split(' '),
  server: [
    'api',
    'clock',
    'quietly',
    'defects',
    'build-file',
    'version',
    'manifest',
    'print',
    'store',
    'runtime',
    'network',
    'settings',
    'apiserver',
    'kubelet',
    'engine',
  ],
  envtest: [
    ...'api clock quietly defects defect-file remove-tree version'.split(' '),
    ...'manifest store runtime network apiserver engine server'.split(' '),
  ],
  remote: ['api', 'clock', 'quietly', 'defects', 'lifecycle', 'manifest', 'store', 'runtime', 'apiserver', 'engine'],
  cli: [
    'api',
    'clock',
    'quietly',
    'defects',
    'defect-file',
    'remove-tree',
    'user',
    'build-file',
    'version',
    'machine',
    'lifecycle',
    'controllers',
    'history',
    'manifest',
    'print',
    'store',
    'runtime',
    'network',
    'settings',
    'images',
    'apiserver',
    'kubelet',
    'engine',
    'experiments',
    'simulation',
    'server',
    'envtest',
    'remote',
  ],
  library: [
    'api',
    'clock',
    'quietly',
    'defects',
    'remove-tree',
    'user',
    'machine',
    'lifecycle',
    'controllers',
    'history',
    'manifest',
    'print',
    'store',
    'runtime',
    'network',
    'settings',
    'apiserver',
    'engine',
    'server',
    'envtest',
  ],
};

/** Packages and Node modules for one layer only. */
const ONLY_IN: ReadonlyArray<{ readonly modules: RegExp; readonly layers: readonly string[] }> = [
  { modules: /^node:child_process$/, layers: ['runtime'] },
  { modules: /^execa$/, layers: ['runtime', 'network'] },
  { modules: /^(commander|ora|chalk)$/, layers: ['cli'] },
  { modules: /^(find-my-way|ws|@peculiar\/x509|htmlparser2)(\/|$)/, layers: ['server'] },
  { modules: /^(protobufjs|re2js|@marcbachmann\/cel-js)(\/|$)/, layers: ['apiserver'] },
  { modules: /^@kubernetes\/client-node\//, layers: ['remote'] },
  { modules: /^yaml$/, layers: ['manifest', 'settings'] },
  { modules: /^node:(timers|timers\/promises|perf_hooks)$/, layers: ['clock'] },
];

/**
 * Files of `cli` that may use `import()`: the table of verbs, the looks at the state folder before a command, manifests
 * behind `-f` and `--from`, what only experiments need, the server, runs on clusters, and what draws on a terminal.
 */
const LATE_IMPORTS = [
  'src/cli/apply/api-beside.ts',
  'src/cli/before-command.ts',
  'src/cli/commands.ts',
  'src/cli/connect/open-cluster.ts',
  'src/cli/envtest/serve-here.ts',
  'src/cli/from/saved-objects.ts',
  'src/cli/main.ts',
  'src/cli/repair.ts',
  'src/cli/select/selection.ts',
  'src/cli/verbs/apply.ts',
  'src/cli/verbs/dashboard.ts',
  'src/cli/verbs/matrix.ts',
  'src/cli/verbs/run-agent.ts',
  'src/cli/verbs/serve.ts',
  'src/cli/verbs/simulate.ts',
  'src/cli/view/open-view.ts',
  'src/cli/view/painter-for.ts',
  'src/cli/waiting/waiting-line.ts',
];

/** The parts that only a run with a time or with faults of its own needs. */
const EXPERIMENTS = ['src/experiments/', 'src/simulation/', 'src/cli/experiments/'];

/** The packages that podrun is built with, and the layer in which each does its work. */
const WORKS_IN = [
  { name: 'commander', layer: 'cli' },
  { name: 'chalk', layer: 'cli' },
  { name: 'ora', layer: 'cli' },
  { name: 'execa', layer: 'runtime' },
  { name: 'yaml', layer: 'manifest' },
  { name: 'dns-packet', layer: 'network' },
  { name: 'find-my-way', layer: 'server' },
  { name: '@peculiar/x509', layer: 'server' },
  { name: 'ws', layer: 'server' },
  { name: 'protobufjs/light.js', layer: 'apiserver' },
  { name: '@marcbachmann/cel-js', layer: 'apiserver' },
  { name: 're2js', layer: 'apiserver' },
  { name: 'htmlparser2', layer: 'server' },
  { name: '@kubernetes/client-node/dist/config.js', layer: 'remote' },
];

/** Files that start programs without execa, each with the reason. */
const WITHOUT_EXECA: Readonly<Record<string, string>> = {
  'src/runtime/base/helper.ts': 'each apply calls mkfifo: to load execa for it took 10 ms of each start',
  'src/runtime/linux/memory-mount.ts': 'folders of volumes are made in one step, without waits',
  'src/runtime/linux/namespace/holder.ts': 'one for each container, whose start must be fast',
  'src/runtime/start/spawn.ts':
    'containers, hooks, probes, COMMAND and agents: execa takes 1 ms of CPU more for each, and 10 ms to load',
  'src/runtime/watch/process-identity.ts': 'every command reads it; it starts ps on macOS only',
  'src/runtime/watch/watchdog.ts': 'part of each start of a container',
};

const layerOf = (file: string): string =>
  file
    .replace(/^src\//, '')
    .replace(/\.ts$/, '')
    .split('/')[0] ?? '';
// The generator in src/api/schema is a separate tool, no part of the program.
const files = sourcesBelow('src').filter((file) => file.path.endsWith('.ts'));
const edges = files.flatMap((file) => importsOf(file).map((edge) => ({ from: file.path, ...edge })));
const told = ({ from, line, target }: (typeof edges)[number]): string => `${from}:${line} imports ${target}`;

describe('dependencies', () => {
  it('point one way between the layers', () => {
    const wrong = edges.filter(({ from, target }) => {
      if (!target.startsWith('src/')) return false;
      const [here, there] = [layerOf(from), layerOf(target)];
      return here !== there && !MAY_IMPORT[here]?.includes(there);
    });
    expect(wrong.map(told)).toEqual([]);
  });

  it('stay inside src', () => {
    const wrong = edges.filter(({ target }) => /^(\.\.|test|bench|dist|bin)\//.test(target));
    expect(wrong.map(told)).toEqual([]);
  });

  it.each(PURE)('of %s reach nothing of the machine', (layer) => {
    const wrong = edges.filter(({ from, target }) => layerOf(from) === layer && target.startsWith('node:'));
    expect(wrong.map(told)).toEqual([]);
  });

  it.each(ONLY_IN)('on $modules are known to $layers only', ({ modules, layers }) => {
    const wrong = edges.filter(({ from, target }) => modules.test(target) && !layers.includes(layerOf(from)));
    expect(wrong.map(told)).toEqual([]);
  });

  it.each(WORKS_IN)('on $name are real: $layer imports it', ({ name, layer }) => {
    const users = edges.filter(({ from, target, isType }) => target === name && !isType && layerOf(from) === layer);
    expect(users).not.toEqual([]);
  });

  it('on node:child_process are few', () => {
    const users = edges.filter(({ target, isType }) => target === 'node:child_process' && !isType);
    expect(users.map(({ from }) => from).toSorted()).toEqual(Object.keys(WITHOUT_EXECA));
  });

  it('form no circle of files, imports of types included', () => {
    expect(circleIn(importGraph())).toEqual([]);
  });

  it('form no circle of folders: each imports those below it', () => {
    const shown = filesBelow('src', /\.ts$/)
      .filter(isFace)
      .flatMap((face) => [...homesOf(face).values()].map((target) => ({ from: face, target })));
    expect(circleIn(importGraph((file) => path.posix.dirname(file), [...edges, ...shown]))).toEqual([]);
  });

  it('of a launch step are on no other step', () => {
    const steps = 'src/kubelet/steps/';
    const shared = new Set(['index.ts', 'step.ts'].map((name) => steps + name));
    const wrong = edges.filter(({ from, target }) => {
      return from.startsWith(steps) && !shared.has(from) && target.startsWith(steps) && target !== `${steps}step.ts`;
    });
    expect(wrong.map(told)).toEqual([]);
  });

  it('on experiments are late: a run without them loads none of them', () => {
    const isExperiment = (file: string): boolean => EXPERIMENTS.some((room) => file.startsWith(room));
    const early = edges.filter(
      ({ from, target, isType, isLate }) => isExperiment(target) && !isExperiment(from) && !isType && !isLate,
    );
    expect(early.map(told)).toEqual([]);
  });

  it('of a plain apply are on nothing that only some runs need', () => {
    const needed = new Set(['src/cli/start.ts', 'src/cli/verbs/apply.ts']);
    for (const file of needed)
      for (const { target } of edges.filter(({ from, isType, isLate }) => from === file && !isType && !isLate))
        needed.add(target);
    const rooms = [...EXPERIMENTS, 'src/remote/', 'src/server/', 'src/cli/watch/'];
    expect([...needed].filter((file) => rooms.some((room) => file.startsWith(room)))).toEqual([]);
  });

  it('of the command line load late only what costs a start time', () => {
    const late = edges.filter(({ from, isLate }) => isLate && layerOf(from) === 'cli');
    expect([...new Set(late.map(({ from }) => from))]).toEqual(LATE_IMPORTS);
  });
});

/** The files of src that each file imports. */
function importGraph(
  nodeOf: (file: string) => string = (file) => file,
  imports: ReadonlyArray<{ readonly from: string; readonly target: string }> = edges,
): Map<string, string[]> {
  const graph = new Map<string, string[]>();
  for (const edge of imports.filter(({ target }) => target.startsWith('src/'))) {
    const [from, to] = [nodeOf(edge.from), nodeOf(edge.target)];
    if (from !== to) graph.set(from, [...(graph.get(from) ?? []), to]);
  }
  return graph;
}

/** The first circle in the graph, as a path that ends where it starts. Empty when there is none. */
function circleIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const visit = (file: string, trail: readonly string[]): string[] => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file];
    if (done.has(file)) return [];
    done.add(file);
    return (graph.get(file) ?? []).reduce<string[]>(
      (found, next) => (found.length > 0 ? found : visit(next, [...trail, file])),
      [],
    );
  };
  return [...graph.keys()].reduce<string[]>((found, file) => (found.length > 0 ? found : visit(file, [])), []);
}
