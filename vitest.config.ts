import { readFileSync } from 'node:fs';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LeftReport } from './test/left-report.ts';
import { MissingReport } from './test/missing-report.ts';
import { PATIENCE_MS } from './test/patience.ts';
import { startOfNodeMs } from './test/start-of-node.mjs';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as { version: string };

/** Tests of pure code that try thousands of inputs, huge ones, or long recordings. */
export const THOROUGH: readonly string[] = [
  'conformance',
  'full-objects',
  'hostile',
  'properties',
  'random-*',
  'round-trip',
  'starter',
  'traces',
  'validate-long',
  'validate-properties',
];
/** Tests of pure rooms that need more than pure code: a simulated Pod, controllers in a loop, what the server serves. */
export const BEYOND_PURE: readonly string[] = [
  'api/resource-types',
  'controllers/service',
  'history/timeline',
  'manifest/explain',
  'print/formats/recordings',
  'print/report/junit',
  'print/timeline/formats',
  'print/timeline/terminal',
].map((name) => `test/${name}.test.ts`);
const ALL = 'test/**/*.test.ts';
const CHAOS = 'test/chaos/**/*.test.ts';
/** A part of their tables is tried in `npm test`, and the rest in `npm run test:slow` (test/rest.ts). */
const SHARED = ['test/cli/random-doors.test.ts', 'test/runtime/watchdog.test.ts', 'test/verdicts/verdicts.test.ts'];
/** What only computes, and long. */
const LONG_COMPUTED = [
  'test/manifest/{hostile,validate-long}.test.ts',
  'test/simulation/scheduling/large-cluster.test.ts',
];
/** These try some of their seeds in `npm test`, and all of them in `npm run test:slow`. */
const SEEDED = ['simulation', 'nodes/random-cluster', 'workloads/random-workloads'].map(
  (name) => `test/simulation/${name}.test.ts`,
);
/** The tests that take long by nature: `npm run test:slow` runs them, and chaos. */
const SLOW = [
  'test/build/executable-parts.test.ts',
  'test/cli/{cluster-trouble,corpus-doors,detach-survival,executable,lost-state}.test.ts',
  'test/cli/{partition,serve-again,umask}.test.ts',
  'test/envtest/starts.test.ts',
  'test/escape/**/*.test.ts',
  'test/library/package.test.ts',
];
/**
 * The program with what surrounds it: other programs, the networks of the kernel, each page and each example of the
 * help as a reader would type it, each form of the build. And what takes several of everything: nodes and their faults,
 * processes that are killed and followed by others, users and their rights. They take more than half of the processor
 * time of all tests of the program: `npm run test:slow` runs them.
 */
const INTEGRATION = [
  'test/browser/*.test.ts',
  'test/cli/beneath-kubelet.test.ts',
  'test/build/late-parts.test.ts',
  'test/cli/{apply-context*,completion-shells,helm-hooks,images,oci-runtimes,operators,secrets}.test.ts',
  'test/cli/{cluster-names,cluster-network,command-addresses,network,network-policies,network-policy-*}.test.ts',
  'test/cli/{node-networks,private-network,proxy-nft,service-*,taken-addresses}.test.ts',
  'test/cli/{common-manifests,every-kind,fixtures,help-examples,hostile-text,init,locale}.test.ts',
  'test/server/odd-bodies.test.ts',
  'test/documents/documents.test.ts',
  'test/server/clients/*.test.ts',
  // Nodes and their faults.
  'test/cli/{experiments,node-disks,node-doors,node-lost,nodes}.test.ts',
  'test/verdicts/one-node.test.ts',
  // Processes that are killed, and those that come after them.
  'test/cli/{apply-again,apply-killed,broken-pipes,forced-removal,foreign-owner,launcher,workload-agents}.test.ts',
  'test/{envtest,library}/processes.test.ts',
  'test/store/two-processes.test.ts',
  // Users, their rights and their mounts.
  'test/cli/{identity,image-folder,limits,memory-volumes,mount-propagation,seccomp,sysctls}.test.ts',
  'test/runtime/linux/namespace/image-root.test.ts',
  // Terminals that are filled line by line, and Pods that come one after the other.
  'test/cli/{live-view,pager,waiting-line,workloads/rolling-update}.test.ts',
];
const RECORDINGS = 'test/traces/traces.test.ts';
const TRIPS = 'test/architecture/trips.test.ts';
export const PURE: readonly string[] = [
  'api',
  'cases',
  'controllers',
  'history',
  'lifecycle',
  'manifest',
  'print',
  'tables',
];
const BELOW_PURE = `test/{${PURE.join(',')}}/**`;
const UNIT = `${BELOW_PURE}/!(${THOROUGH.join('|')}).test.ts`;
const COMPUTED = [
  ...BEYOND_PURE,
  `${BELOW_PURE}/{${THOROUGH.join(',')}}.test.ts`,
  'test/architecture/*.test.ts',
  'test/simulation/**/*.test.ts',
];

/**
 * With PODRUN_TESTS=portable, the tests that ask most of a machine and of Node.js, some of each room: CI runs these with
 * other rights, for other users and on other versions of Node.js (test/combinations). Of the long ones, some depend on
 * rights alone, and some on Node.js and the surroundings alone: PODRUN_TESTS=rights and PODRUN_TESTS=surroundings leave
 * out the others.
 */
const ABOUT_RIGHTS = [
  'cli/identity',
  'escape/{kernel,processes,terminals}',
  'runtime/image-folder',
  'runtime/linux/namespace/image-root',
];
const ABOUT_SURROUNDINGS = [
  'cli/closed-files',
  'controllers/deployment',
  'history/timeline',
  'library/serve',
  'manifest/check/load',
  'network/node/own-sockets',
  'server/access',
  'simulation/restarts',
];
const ABOUT_BOTH = [
  'apiserver/services/unserved',
  'cli/{apply-runtime,apply-store,forced-removal,launcher}',
  'engine/background/keeper/keeper',
  'exact-mode',
  'experiments/injected-faults',
  'images/{hostile-layers,layers}',
  'kubelet/{probe-exec,attach/attach-server,steps/volumes,volumes/fs-group,volumes/pod-volumes}',
  'lifecycle/security/*',
  'network/ingress-server',
  'print/doctor/report',
  'remote/remote',
  'remove-tree',
  'runtime/{detection-cache,process-runtime-start,start-checks,terminal}',
  'runtime/linux/{detection,cgroup/*,limits/*,namespace/!(image-root)}',
  'settings/own-rights',
  'store/{disk-trouble,foreign-folder,memory-folders,state-folder}',
];
const PORTABLE: Readonly<Record<string, readonly string[]>> = {
  portable: [...ABOUT_BOTH, ...ABOUT_RIGHTS, ...ABOUT_SURROUNDINGS],
  rights: [...ABOUT_BOTH, ...ABOUT_RIGHTS],
  surroundings: [...ABOUT_BOTH, ...ABOUT_SURROUNDINGS],
};
const portable = PORTABLE[process.env['PODRUN_TESTS'] ?? '']?.map((names) => `test/${names}.test.ts`);

/**
 * These take longest, in this order: they begin first, so that none of them ends alone. Those that keep the kernel busy
 * (escape/moving-*) come late: in CI, scenarios have ended by then.
 */
const LONGEST = [
  'traces/traces',
  'simulation/workloads/random-workloads',
  'cli/help-examples',
  'documents/documents',
  'cli/umask',
  'cli/partition',
  'simulation/simulation',
  'build/executable-parts',
  'build/late-parts',
  'library/package',
  'cli/detach-survival',
  'manifest/hostile',
  'verdicts/verdicts',
  'envtest/starts',
  'cli/experiments',
  'cli/node-lost',
  'cli/nodes',
  'escape/host-files',
  'cli/cp',
  'cli/executable',
  'cli/corpus-doors',
  'cli/serve-again',
  'cli/images',
  'server/clients/transcripts',
  'runtime/watchdog',
  'verdicts/one-run',
  'cli/delete-running',
  'escape/state-folder',
  'cli/network-policies',
  'cli/exec',
  'cli/init',
  'cli/cluster-network',
  'cli/lost-state',
  'cli/oci-runtimes',
  'cli/report',
  'cli/identity',
  'cli/locale',
  'envtest/processes',
  'chaos/disk',
  'chaos/removed-records',
  'chaos/foreign-readers',
  'chaos/killed',
  'chaos/pulls',
  'chaos/mounts',
].map((name) => `/test/${name}.test.ts`);

// Each project loads this file: all have to know the same time.
const startMs = Number((process.env['PODRUN_START_OF_NODE_MS'] ??= String(startOfNodeMs())));
/** A start of Node.js takes 25 ms on the machine for which the numbers of workers were chosen. */
const IS_SLOW = startMs > 50;

/**
 * CI runs these at the lowest priority, some runs beside each other: the first command in a test's own process may wait
 * a minute for its modules.
 */
const YIELDING = { testTimeout: 300_000, hookTimeout: 300_000 };
/** Tests that compute for long, or wait for much, one thing after the other: none has a time limit of its own. */
const LONG = { testTimeout: 600_000, hookTimeout: 600_000 };

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return index === -1 ? LONGEST.length : index;
    };
    // The files of a project follow each other. A worker ends when the next file is of another project, and the worker
    // that takes its place loads all modules again.
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return sorted.toSorted((a, b) => projects.indexOf(a.project) - projects.indexOf(b.project) || rank(a) - rank(b));
  }
}

// Tests start Node.js thousands of times. With this variable, Node 20 parses certificates at every start, which takes
// longer than the start itself.
delete process.env['NODE_EXTRA_CA_CERTS'];

/**
 * What is translated with one version of Node.js holds for each: by default, the list of its own modules is a part of
 * what it is looked up by.
 */
const forEachNode: NonNullable<ViteUserConfig['plugins']>[number] = {
  name: 'for-each-node',
  configResolved({ environments }) {
    for (const { resolve } of Object.values(environments))
      Object.assign(resolve, { external: [], builtins: [/^node:/] });
  },
};

const config: ViteUserConfig = defineConfig({
  plugins: [forEachNode],
  // As the build does it: see build.mjs.
  define: {
    PODRUN_VERSION: JSON.stringify(version),
    DESCRIPTIONS: JSON.stringify('../../dist/descriptions.json'),
    IMAGE_PULLER: JSON.stringify('../../../dist/image-puller.cjs'),
    NETWORK_HELPER: JSON.stringify('../../../dist/network-helper.cjs'),
  },
  // Properties are tried with the same values each time: see there.
  resolve: { alias: [{ find: /^fast-check$/, replacement: `${import.meta.dirname}/test/fast-check.ts` }] },
  test: {
    sequence: { sequencer: LongestFirst },
    projects: portable
      ? [{ extends: true, test: { name: 'portable', include: portable, ...YIELDING } }]
      : [
          {
            extends: true,
            test: { name: 'unit', include: [UNIT], exclude: [...BEYOND_PURE], maxWorkers: 2 },
          },
          {
            extends: true,
            // These only compute: two fill two cores, and are over before others begin, which wait for processes.
            test: { name: 'computed', include: COMPUTED, exclude: [...LONG_COMPUTED, TRIPS], maxWorkers: 2, ...LONG },
          },
          {
            extends: true,
            test: {
              name: 'program',
              include: [ALL],
              exclude: [UNIT, ...COMPUTED, ...SLOW, ...INTEGRATION, CHAOS, RECORDINGS],
              sequence: { groupOrder: 1 },
              ...LONG,
            },
          },
          {
            extends: true,
            test: { name: 'integration', include: INTEGRATION, sequence: { groupOrder: 1 }, ...LONG },
          },
          {
            extends: true,
            // They have to be in time with a recording: no other tests run beside them.
            test: { name: 'recordings', include: [RECORDINGS], sequence: { groupOrder: 3 }, ...LONG },
          },
          {
            extends: true,
            test: {
              name: 'slow',
              include: [...SLOW, ...SHARED],
              sequence: { groupOrder: 1 },
              env: { PODRUN_REST: 'yes' },
              ...LONG,
            },
          },
          {
            extends: true,
            test: {
              name: 'thorough',
              include: [...LONG_COMPUTED, ...SEEDED],
              env: { PODRUN_SEEDS: process.env['PODRUN_SEEDS'] ?? '2000' },
              maxWorkers: 2,
              ...LONG,
            },
          },
          {
            extends: true,
            // These mount, kill and fill what all programs of the machine see: no other tests run beside them.
            test: { name: 'chaos', include: [CHAOS], sequence: { groupOrder: 2 }, ...LONG },
          },
          {
            extends: true,
            // A busy machine splits work into more turns of the event loop: these have the machine for themselves.
            test: { name: 'trips', include: [TRIPS], sequence: { groupOrder: 4 } },
          },
        ],
    // Each module is translated once for all projects, and for the next run: a fifth of the time of `test:unit`.
    experimental: { fsModuleCache: true },
    globalSetup: 'test/leaks.ts',
    setupFiles: 'test/each-file.ts',
    // What tests have left running, and what was skipped for want of what, are the last things that a run tells.
    reporters: ['default', new LeftReport(), new MissingReport()],
    // Test files leave nothing behind: those of a worker share its process, which loads each module once.
    isolate: false,
    // Style sheets are text that goes into pages.
    css: { include: [/page\.css/] },
    // A test waits for several events, one after the other (test/patience.ts): what never comes tells its own name
    // first. No test has less time of its own.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: PATIENCE_MS } },
    // A test that fails once is mended: no second attempts, anywhere.
    retry: 0,
    // Black-box tests start processes, and wait for them: four fill two cores, and two leave half of them idle.
    maxWorkers: IS_SLOW ? 3 : 4,
    // Those within a file that mostly wait run beside each other.
    maxConcurrency: 4,
    // Tests of namespaces ask for them. All others can be run with them, too: PODRUN_RUNTIME=namespace npm test.
    env: { PODRUN_RUNTIME: process.env['PODRUN_RUNTIME'] ?? 'process' },
  },
});

export default config;
