import { deployed, fixture, NODES, serving, TOO_LARGE } from './page-manifests.ts';
import type { PageSetting } from './page-run.ts';

/** The settings of the pages about workloads, by page. */
export const WORKLOAD_PAGES: Readonly<Record<string, PageSetting>> = {
  'docs/development-loop.md': {
    files: { 'deploy/shop.yaml': deployed('shop') },
    manners: {
      'podrun dev deploy/': { until: /2\/2 ready/ },
      'podrun apply deploy/                # the new template': { until: /2\/2 ready/ },
      'podrun apply deploy/ --rolling      # the old Pods first, then the rollout: what a cluster would do': {
        until: /2\/2 ready/,
      },
      'podrun logs deployment/shop -f      # in another terminal': {
        before: ['podrun apply -d --wait --timeout 100s deploy/'],
        until: /listening/,
      },
      'podrun apply deploy/ -- npm test    # the same, once, as a check: starts, waits until it is up, tests, ends': {
        before: ['podrun delete deployment shop', 'podrun wait pod --all --for=delete --timeout=100s'],
      },
    },
  },
  'docs/scheduling.md': {
    files: { 'shop.yaml': deployed('web'), 'nodes.yaml': NODES, 'pod.yaml': serving('app') },
    before: ['podrun apply -d --wait --timeout 100s pod.yaml'],
  },
  'docs/nodes.md': {
    files: { 'shop.yaml': deployed('web') },
    manners: {
      'podrun apply shop.yaml --nodes 3': { until: /2\/2 ready/ },
      // Pods of the first command would run on in the background, and keep the next one from its nodes.
      'podrun serve --nodes 6 --zones 3': { before: ['podrun delete deployments --all'], until: /serving https/ },
    },
  },
  'docs/from-docker-compose.md': {
    files: {
      '.env': 'LEVEL=info\n',
      'server.mjs':
        "import { createServer } from 'node:http';\ncreateServer((_, answer) => answer.end()).listen(3000);\n",
    },
    programs: { curl: 'echo hello' },
    before: [
      'ln -s "$(readlink fixtures)/../docs" docs; mkdir deploy',
      "sed -n '/^# deploy.api.yaml/,/^```/p' docs/from-docker-compose.md | grep -v '```' >deploy/api.yaml",
      "sed -n '/^images:/,/^```/p' docs/from-docker-compose.md | grep -v '```' >podrun.yaml",
    ],
  },
  'docs/workloads.md': {
    files: {
      'deployment.yaml': fixture('deployment.yaml'),
      'failing-job.yaml': fixture('failing-job.yaml'),
      'server-and-migration.yaml': fixture('server-and-migration.yaml'),
    },
    manners: {
      'podrun apply deployment.yaml': { until: /2\/2 ready/ },
      'podrun apply deployment.yaml --until ready': { before: ['podrun delete deployments --all'] },
      'podrun apply failing-job.yaml': { exit: 1 },
      'podrun apply server-and-migration.yaml': { until: /keeps running/ },
    },
  },
  'docs/scale.md': {
    files: { 'big.yaml': TOO_LARGE },
    manners: { 'npx podrun apply big.yaml --until ready': { exit: 1 } },
  },
  'docs/timeline.md': {
    files: { 'pod.yaml': serving('app'), 'deployment.yaml': fixture('deployment.yaml') },
    before: ['podrun apply pod.yaml --until ready'],
    manners: {
      'podrun timeline web': { otherOutput: 'another Pod' },
      'podrun timeline deployment/web': {
        before: ['podrun apply deployment.yaml --until ready'],
        otherOutput: 'other Pods',
      },
    },
  },
};
