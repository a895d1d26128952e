import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { has } from '../needs.ts';
import { SERVE, SERVICE, SHOP, deployed, ending, pod, serving } from './page-manifests.ts';
import type { PageSetting } from './page-run.ts';
import { WORKLOAD_PAGES } from './workload-pages.ts';

const DETACH = 'podrun apply -d --wait --timeout 100s pod.yaml';
const KILL_AGENT =
  'kill -9 $(sed -n \'s/.*"pid": *\\([0-9]*\\).*/\\1/p\' ~/.local/state/podrun/.agents/*/process.json | tail -1)';
const DELETE = 'podrun delete pod --all';
const CRASH_LOOP = 'podrun apply fixtures/crash-loop.yaml --no-logs';
const BENCHMARKS = [
  'npm run bench                             # all rows; takes some minutes',
  'npm run bench -- cold-start one-shot      # some, by the names of their files in bench/rows',
  'npm run bench -- --with-peers             # gets pm2 and concurrently from npm first, into a cache folder',
  'npm run bench -- --save                   # keeps the result in bench/results, in the file of the day',
  'npm run bench -- --fast --check           # is any ratio worse than the recorded one?',
];
const DEFINITION = readFileSync(new URL('../envtest/config/crd/bases/greetings.yaml', import.meta.url), 'utf8');
const A_TERMINAL = 'what is typed is a person’s: test/cli has it, in a terminal';

/** The settings of the pages, by page. */
export const PAGES: Readonly<Record<string, PageSetting>> = {
  ...WORKLOAD_PAGES,
  'README.md': {
    files: { 'deploy/pod.yaml': serving('main') },
    manners: {
      'npm ci && npm test': { skip: 'this is one of them' },
      'npm ci && npx podrun apply fixtures/pipeline.yaml': { skip: 'the same without npm ci is below' },
      'npm test             # what podrun promises, in four to five minutes on two cores': {
        skip: 'this is one of them',
      },
      'podrun apply fixtures/workloads/ingress.yaml': { until: /ingress\/hello/ },
      [`${CRASH_LOOP} --timeout 3s --backoff-initial 1s`]: {
        instead: `${CRASH_LOOP} --timeout 18s --backoff-initial 6s`,
        exit: 124,
      },
      'podrun describe pod crash-loop': { otherOutput: 'the name of the node' },
      'npm run test:unit    # the tests of pure code, in seconds': { skip: 'they are tests of their own' },
      'npm run test:slow    # what takes long: other programs, networks, chaos, more random Pods': {
        skip: 'they are tests of their own',
      },
      'npm run check        # types, lint, format, tests': { skip: 'this is one of them' },
      'npm run simulate     # random Pods in a simulated machine, or workloads: -- workloads --seeds 20000': {
        skip: 'a test of its own',
      },
      'npm run bench        # what podrun costs, beside what you would take instead': { skip: 'takes minutes' },
      'bash .ci/run         # all of it, and the conformance scenarios, as CI does it': { skip: 'runs this test' },
    },
  },
  'docs/advise.md': {
    files: { 'pod.yaml': serving('app') },
    before: ['podrun apply pod.yaml --until ready'],
    manners: { 'podrun advise web': { otherOutput: 'another Pod' } },
  },
  'docs/testing.md': {
    manners: {
      'npm run simulate -- --seeds 1e6              # a night; --jobs N, --seed N to begin there': { skip: 'a night' },
    },
  },
  'docs/changing.md': {
    files: {
      'pod.yaml': pod('web', {
        readinessGates: [{ conditionType: 'example.com/lb' }],
        containers: [{ name: 'main', command: ['sh', '-c', SERVE] }],
      }),
      'deployment.yaml': deployed('web'),
    },
    env: { EDITOR: 'true', KUBE_EDITOR: 'true' },
    before: [
      'podrun apply -d pod.yaml',
      'podrun apply -d deployment.yaml',
      'podrun rollout status deployment/web --timeout 100s',
      'podrun annotate deployment/web kubernetes.io/change-cause-',
      'podrun set env deployment/web VERSION=one DEBUG=1',
      "podrun create cronjob report --image=busybox --schedule='0 0 1 1 *' -- true",
    ],
    manners: {
      'podrun rollout status deployment/web': { otherOutput: 'some lines come and go within milliseconds' },
      'podrun apply pod.yaml': { before: ['sed -i s/app:1/app:3/ pod.yaml'] },
    },
  },
  'docs/ci.md': {
    files: { 'deploy/pod.yaml': serving('main'), 'job.yaml': ending('true') },
    manners: {
      'npx podrun apply deploy/pod.yaml --expect deploy/pod.expect.yaml --timeout 2m': {
        before: [
          'cp job.yaml deploy/pod.yaml',
          'podrun apply deploy/pod.yaml',
          'podrun expect --print web > deploy/pod.expect.yaml',
        ],
      },
      // The recording comes from this run: on a busy machine, two runs may take different times.
      'npx podrun diff good-run.ndjson web': { before: ['podrun apply deploy/pod.yaml -o json > good-run.ndjson'] },
    },
  },
  'docs/command-line.md': {
    manners: {
      'podrun logs pipelin': { exit: 1, before: ['podrun apply fixtures/pipeline.yaml'] },
      'podrun logs web -c <TAB>': { skip: 'a key: test/cli has it, in shells' },
      'podrun wait pod/web --for=condition=<TAB>': { skip: 'a key: test/cli has it, in shells' },
    },
  },
  'docs/contributing.md': {
    before: [
      'for x in docs node_modules package.json test bin/podrun.js; do ln -s "$(readlink fixtures)/../$x" $x; done',
      "mkdir scenarios; sed -n '/^    # scen/,/minGap/s/^    //p' docs/contributing.md >scenarios/one.yaml",
      'mv scenarios/one.yaml scenarios/hook-before-exit.yaml',
    ],
    manners: { 'npm run simulate -- --seeds 200': { skip: 'a test of its own' } },
  },
  'docs/debug.md': {
    files: { 'pod.yaml': serving('app') },
    before: [DETACH],
    manners: { 'podrun debug web -it': { skip: A_TERMINAL } },
  },
  'docs/detach.md': {
    files: { 'pod.yaml': serving('app') },
    programs: {},
    manners: {
      'podrun apply -d --wait --timeout 60s pod.yaml': { before: [DELETE] },
      './smoke.sh': { before: ['printf "#!/bin/sh\\nexit 0\\n" >smoke.sh; chmod +x smoke.sh'] },
      'podrun get pods': {
        before: ['podrun apply -d --wait --timeout 100s pod.yaml', KILL_AGENT],
      },
    },
  },
  'docs/exec.md': {
    files: {
      'pod.yaml': `${pod('web', {
        containers: [
          {
            name: 'app',
            command: ['sh', '-c', SERVE],
            ports: [{ containerPort: 18_443, name: 'https' }],
            volumeMounts: [
              { name: 'etc', mountPath: '/etc/app' },
              { name: 'log', mountPath: '/var/log/app' },
            ],
          },
        ],
        volumes: [
          { name: 'etc', emptyDir: {} },
          { name: 'log', emptyDir: {} },
        ],
      })}---\n${stringify({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web' },
        spec: { selector: { app: 'web' }, ports: [{ name: 'https', port: 443, targetPort: 'https' }] },
      })}---\n${stringify({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'db' },
        spec: { selector: { app: 'web' }, ports: [{ port: 5432 }] },
      })}`,
      'config.yaml': 'a: 1\n',
      'schema.sql': 'create table t (a int);\n',
    },
    programs: { psql: 'grep -q "create table"' },
    before: [DETACH],
    manners: {
      'podrun exec -it web -c app -- sh': { skip: A_TERMINAL },
      'podrun attach web': { skip: 'ends with the container: test/cli has it' },
      'podrun attach web -c app -it': { skip: A_TERMINAL },
      'podrun port-forward web 8080:80 :5432': {
        instead: 'podrun port-forward web :80 :5432',
        until: /Forwarding from .* -> 5432/,
      },
      'podrun port-forward svc/web 8443:https': {
        instead: 'podrun port-forward svc/web :https',
        until: /Forwarding from/,
        otherOutput: 'of the first of the two',
      },
    },
  },
  'docs/expect.md': {
    files: { 'pod.yaml': ending('true'), 'bad.yaml': ending('false') },
    before: ['podrun apply pod.yaml'],
    manners: {
      'podrun expect web.expect.yaml (2)': {
        exit: 1,
        before: ['podrun apply bad.yaml || test $? = 1'],
        otherOutput: 'another Pod',
      },
      'podrun expect web.expect.yaml --from run.ndjson': { otherOutput: 'another Pod' },
    },
  },
  'docs/history.md': {
    files: {
      'pod.yaml': ending('true'),
      'good-run.ndjson': '',
    },
    before: [
      'podrun apply -o json pod.yaml > good-run.ndjson',
      'podrun apply pod.yaml',
      `sed 's/restartPolicy:.*/&\\n  activeDeadlineSeconds: 14/' fixtures/crash-loop.yaml > loop.yaml`,
      'podrun apply loop.yaml --backoff-initial 500ms || test $? = 1',
      'sed -i "s/exit 1/exit 3/" loop.yaml',
      'podrun apply loop.yaml --backoff-initial 1s || test $? = 1',
    ],
    manners: {
      'podrun history web': { otherOutput: 'other runs' },
      'podrun logs web-6c57ddffd-hgvjc': { skip: 'the name of the Pod is another one each time' },
      'podrun get pod crash-loop --at 20s': { exit: 1 },
      // On a busy machine, two runs may take different times.
      'podrun diff good-run.ndjson run.ndjson --tolerance 50%': { before: ['cp run.ndjson good-run.ndjson'] },
      'podrun diff crash-loop@1 crash-loop': { exit: 1, otherOutput: 'other runs' },
    },
  },
  'docs/images.md': {
    files: { 'pod.yaml': pod('cache', { restartPolicy: 'Never', containers: [{ name: 'main', image: 'redis:8' }] }) },
    programs: { 'redis-server': 'echo "$@"' },
    manners: {
      'podrun apply web.yaml': { skip: 'it pulls an image of a registry' },
      'podrun apply fixtures/images/greeter.yaml --config fixtures/images/podrun.yaml': { until: /Ready|Succeeded/ },
    },
  },
  'docs/init.md': { manners: { 'podrun apply web.yaml': { until: /round 2/ } } },
  'docs/kubectl.md': { files: { 'pod.yaml': serving('main') }, before: [DETACH] },
  'docs/limits.md': {
    files: {
      'pod.yaml': pod('web', {
        restartPolicy: 'Never',
        containers: [
          {
            name: 'main',
            command: [process.execPath, '-e', 'const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1));'],
            resources: { limits: { memory: '100Mi' } },
          },
        ],
      }),
      'two.yaml': serving('app', 'log'),
    },
    manners: {
      'podrun apply pod.yaml': { exit: 1, ...(has('cgroups') ? {} : { skip: 'needs cgroups' }) },
      'podrun top pod --containers': { before: ['podrun apply -d --wait --timeout 100s two.yaml'] },
    },
  },
  'docs/network.md': {
    files: { 'pod.yaml': serving('app'), 'web.yaml': `${SERVICE}---\n${serving('app')}`, 'shop.yaml': SHOP },
    programs: { curl: 'echo hello' },
    before: [DETACH],
    manners: {
      'podrun apply fixtures/workloads/ingress.yaml': {
        skip: 'its port may be taken; test/cli/ingress.test.ts runs it',
      },
      'podrun get service web': { before: [DELETE, 'podrun apply --detach web.yaml'] },
      'podrun get pods -o wide': { otherOutput: 'the name of the node' },
      'podrun apply pod.yaml --network pod': {
        ...(has('namespaces') ? {} : { skip: 'needs namespaces' }),
        before: [DELETE],
        until: /Ready/,
      },
    },
  },
  'docs/operators.md': {
    manners: {
      'podrun apply operator/ -- ./check.sh': { skip: 'test/cli/apply-api.test.ts runs an operator' },
    },
  },
  'docs/output.md': {
    files: { 'pod.yaml': serving('app'), 'deployment.yaml': deployed('web') },
    before: [DETACH, 'podrun apply -d deployment.yaml', 'podrun rollout status deployment/web --timeout 100s'],
    manners: { 'podrun get all -l app=web': { otherOutput: 'other hashes' } },
  },
  'docs/performance.md': {
    manners: Object.fromEntries(BENCHMARKS.map((command) => [command, { skip: 'takes minutes' }])),
  },
  'docs/probes.md': {
    files: {
      'pod.yaml': pod('web', {
        containers: [
          {
            name: 'main',
            command: ['sh', '-c', SERVE],
            readinessProbe: { exec: { command: ['true'] }, periodSeconds: 1, timeoutSeconds: 50 },
          },
        ],
      }),
    },
    before: [DETACH],
    manners: { 'podrun probes web': { otherOutput: 'probes of another Pod' } },
  },
  'docs/running.md': {
    files: {
      'pod.yaml': pod('web', {
        containers: [
          {
            name: 'app',
            command: ['sh', '-c', SERVE],
            lifecycle: {
              postStart: { exec: { command: ['sh', '-c', './register'] } },
              preStop: { exec: { command: ['sh', '-c', './drain'] } },
            },
            readinessProbe: {
              exec: { command: ['sh', '-c', '[ -e ready ] || { echo >ready; echo not yet; exit 3; }'] },
              periodSeconds: 1,
              timeoutSeconds: 50,
            },
          },
        ],
      }),
      register: '#!/bin/sh\necho registered as web-1\n',
      drain: '#!/bin/sh\necho draining 3 connections\n',
    },
    before: ['chmod +x register drain'],
    manners: {
      'podrun apply pod.yaml': { until: /Ready/ },
      'podrun apply deploy/ --watch': { before: ['mkdir deploy; cp pod.yaml deploy'], until: /Ready/ },
      'podrun get pods                 # what kubectl get pods would show; -o wide, json, yaml, name; -w to follow': {
        before: [DETACH],
      },
      'podrun logs web -c app -f       # --previous for the run before the last restart': { until: /listening/ },
      'podrun logs web --hooks -f      # what its hooks and exec probes write': { until: /registered/ },
      'podrun debug web -it            # a shell beside its containers: see Looking into a running Pod': {
        skip: A_TERMINAL,
      },
      'podrun label pod web tier=front # patch, annotate, condition: see Changing a Pod that runs': {
        before: [DETACH],
      },
      'podrun logs web --hooks': { before: [DELETE, 'rm ready', 'podrun apply pod.yaml --until ready'] },
    },
  },
  'docs/runtime.md': { manners: { 'podrun doctor': { otherOutput: 'another machine' } } },
  'docs/clusters.md': {
    manners: Object.fromEntries(
      [
        'podrun apply --context staging deploy/ --until ready --timeout 5m -- ./smoke.sh',
        "podrun apply --context staging web.yaml -- sh -c 'curl http://$WEB_SERVICE_HOST:$WEB_SERVICE_PORT/'",
        'podrun get pods -A --context staging',
        'podrun compare job.yaml --context staging',
        'podrun pull-manifest deploy/web -n shop --context staging --configmaps --redact > web.yaml',
        'podrun timeline web -n podrun-x7k2p --context staging',
      ].map((line) => [line, { skip: 'needs a cluster: test/cli/apply-context.test.ts has one' }]),
    ),
  },
  'docs/envtest.md': {
    programs: { go: 'test -x "$KUBEBUILDER_ASSETS/kube-apiserver"' },
    files: { 'config/crd/greetings.yaml': DEFINITION },
  },
  'docs/serve.md': {
    manners: {
      'podrun serve': { until: /serving https/ },
      'export KUBECONFIG=~/.local/state/podrun/.server/kubeconfig': { skip: 'not every machine has kubectl' },
      'podrun serve --once -- ./smoke.sh': { before: ["printf '#!/bin/sh\\n' > smoke.sh; chmod +x smoke.sh"] },
      'podrun dashboard': { until: /The link works once/ },
    },
  },
  'docs/store.md': {
    files: {
      'pod.yaml': serving('app'),
      'job.yaml': pod('migrate', { restartPolicy: 'Never', containers: [{ name: 'main', command: ['true'] }] }),
    },
    programs: { jq: 'cat' },
    before: [DETACH],
    manners: {
      'podrun gc --keep 1': {
        before: [DELETE, 'podrun apply job.yaml', 'for i in 1 2 3; do podrun apply pod.yaml --until ready; done'],
      },
    },
  },
  'docs/time-and-faults.md': {
    files: {
      'pod.yaml': pod('web', {
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: 'app',
            command: ['sleep', '1000'],
            readinessProbe: { exec: { command: ['true'] }, periodSeconds: 1, timeoutSeconds: 50, failureThreshold: 1 },
          },
        ],
      }),
    },
    manners: {
      [`${CRASH_LOOP} --speed 60x --timeout 5m`]: { instead: `${CRASH_LOOP} --speed 60x --timeout 20m`, exit: 124 },
      "podrun apply pod.yaml --no-logs --inject kill:app@2s --inject 'probe:readiness=fail@4s+2s' --timeout 8s": {
        instead:
          "podrun apply pod.yaml --no-logs --inject kill:app@8s --inject 'probe:readiness=fail@16s+8s' --timeout 40s",
        exit: 124,
      },
      'podrun matrix pod.yaml --inject kill:app@2s --seeds 2 --jobs 2 --for 5s': {
        instead: 'podrun matrix pod.yaml --inject kill:app@2s --seeds 2 --jobs 2 --for 15s',
      },
    },
  },
  'docs/waiting.md': {
    files: { 'pod.yaml': serving('main') },
    manners: {
      "podrun apply operator.yaml --until 'jsonpath={.status.phase}=Ready' gadget.shop.example.com/lamp -- ./e2e.sh": {
        skip: 'it has a test of its own: test/cli/object-goals.test.ts',
      },
      'podrun apply operator.yaml --until ready gadget.shop.example.com/lamp': { skip: 'as above' },
      'podrun wait gadget/lamp --for=ready --timeout 60s': { skip: 'as above' },
    },
  },
  'docs/validate.md': {
    files: { 'pod.yaml': serving('main') },
    manners: { 'podrun validate fixtures/misspelled.yaml': { exit: 1 } },
  },
};
