import { readFileSync } from 'node:fs';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { LeftReport } from './test/left-report.ts';
import { MissingReport } from './test/missing-report.ts';
import { PATIENCE_MS } from './test/patience.ts';
import { startOfNodeMs } from './test/start-of-node.mjs';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as { version: string };

/** Tests of pure code that try thousands of inputs, huge ones, or long recordings. */
const THOROUGH = [
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
const ALL = 'test/**/*.test.ts';
const CHAOS = 'test/chaos/**/*.test.ts';
/** A part of the table is tried in `npm test`, and the rest in `npm run test:slow`. */
const SHARED = 'test/verdicts/verdicts.test.ts';
/** These try some of their seeds in `npm test`, and all of them in `npm run test:slow`. */
const SEEDED = ['test/simulation/simulation.test.ts', 'test/simulation/workloads/random-workloads.test.ts'];
/** The tests that take long by nature: `npm run test:slow` runs them, and chaos. */
const SLOW = [
  'test/build/executable-parts.test.ts',
  'test/cli/{cluster-trouble,detach-survival,executable,lost-state,partition,umask}.test.ts',
  'test/envtest/starts.test.ts',
  'test/escape/**/*.test.ts',
  'test/library/package.test.ts',
  'test/manifest/{hostile,validate-long}.test.ts',
];
const RECORDINGS = 'test/traces/traces.test.ts';
const TRIPS = 'test/architecture/trips.test.ts';
const PURE = 'test/{api,cases,controllers,history,lifecycle,manifest,print,tables}/**';
const UNIT = `${PURE}/!(${THOROUGH.join('|')}).test.ts`;
const COMPUTED = [
  `${PURE}/{${THOROUGH.join(',')}}.test.ts`,
  'test/architecture/*.test.ts',
  'test/simulation/**/*.test.ts',
];

/**
 * With PODRUN_TESTS=portable, the tests that ask most of a machine and of Node.js, some of each room: CI runs these with
 * other rights, for other users and on other versions of Node.js (test/combinations).
 */
const PORTABLE = [
  'apiserver/services/unserved',
  'cli/{apply-runtime,apply-store,closed-files,forced-removal,identity,launcher}',
  'controllers/deployment',
  'engine/background/keeper/keeper',
  'escape/{kernel,processes,terminals}',
  'exact-mode',
  'experiments/injected-faults',
  'history/timeline',
  'images/{hostile-layers,layers}',
  'kubelet/{probe-exec,attach/attach-server,steps/volumes,volumes/fs-group,volumes/pod-volumes}',
  'library/serve',
  'lifecycle/security/*',
  'manifest/check/load',
  'network/ingress-server',
  'print/doctor/report',
  'remote/remote',
  'remove-tree',
  'runtime/{detection-cache,image-folder,process-runtime-start,start-checks,terminal}',
  'runtime/linux/{detection,cgroup/*,limits/*,namespace/*}',
  'server/access',
  'settings/own-rights',
  'simulation/restarts',
  'store/{disk-trouble,foreign-folder,memory-folders,state-folder}',
].map((names) => `test/${names}.test.ts`);
const isPortable = process.env['PODRUN_TESTS'] === 'portable';

/** These take longest, in this order: they begin first, so that none of them ends alone. */
const LONGEST = [
  'traces/traces',
  'simulation/workloads/random-workloads',
  'documents/documents',
  'cli/help-examples',
  'cli/umask',
  'cli/lost-state',
  'cli/detach-survival',
  'build/executable-parts',
  'library/package',
  'runtime/watchdog',
  'escape/moving-mounts',
  'cli/exec',
  'cli/delete-running',
  'cli/report',
  'cli/completion-shells',
  'cli/foreign-owner',
  'cli/live-view',
  'escape/moving-links',
  'escape/state-folder',
  'simulation/simulation',
  'server/clients/transcripts',
  'cli/experiments',
  'chaos/disk',
  'chaos/foreign-readers',
  'chaos/killed',
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
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}

// Tests start Node.js thousands of times. With this variable, Node 20 parses certificates at every start, which takes
// longer than the start itself.
delete process.env['NODE_EXTRA_CA_CERTS'];

const config: ViteUserConfig = defineConfig({
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
    projects: isPortable
      ? [{ extends: true, test: { name: 'portable', include: PORTABLE, ...YIELDING } }]
      : [
          {
            extends: true,
            test: { name: 'unit', include: [UNIT], maxWorkers: 2 },
          },
          {
            extends: true,
            // These only compute: two fill two cores, and are over before others begin, which wait for processes.
            test: { name: 'computed', include: COMPUTED, exclude: [...SLOW, TRIPS], maxWorkers: 2, ...LONG },
          },
          {
            extends: true,
            test: {
              name: 'program',
              include: [ALL],
              exclude: [UNIT, ...COMPUTED, ...SLOW, CHAOS, RECORDINGS],
              sequence: { groupOrder: 1 },
              ...LONG,
            },
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
              include: [...SLOW, ...SEEDED, SHARED],
              sequence: { groupOrder: 1 },
              env: { PODRUN_SEEDS: '2000', PODRUN_DOORS: 'rest' },
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
    setupFiles: 'test/no-defects.ts',
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
    // Black-box tests start processes, and mostly wait for them: more workers than two cores have room for.
    maxWorkers: IS_SLOW ? 2 : 4,
    // Those within a file that mostly wait run beside each other.
    maxConcurrency: 4,
    // Tests of namespaces ask for them. All others can be run with them, too: PODRUN_RUNTIME=namespace npm test.
    env: { PODRUN_RUNTIME: process.env['PODRUN_RUNTIME'] ?? 'process' },
  },
});

export default config;
