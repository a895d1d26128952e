import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import type { Container, PodSpec } from '../../src/api/generated/types.ts';
import type { KubeObject } from '../../src/api/base/objects.ts';
import { deployed, NODES, SHOP } from '../documents/page-manifests.ts';
import type { Need } from '../needs.ts';

/** The end of an example in a help text. An example without an entry ends by itself with exit code 0. */
export interface Ending {
  readonly exitCode?: number;
  /** The output before Ctrl-C, for an example that does not end by itself. */
  readonly shows?: RegExp;
  /** Keys for the terminal, behind a prompt or behind the output that `shows` matches. */
  readonly keys?: string;
  /** Commands before the example, and while it runs. */
  readonly before?: string;
  readonly during?: string;
  /** The port of this machine that the example takes. Another program may have it: a free one takes its place. */
  readonly port?: number;
  /** True when the example needs new Pods. */
  readonly isRebuilt?: true;
  /** The shell of the example. */
  readonly shell?: string;
  readonly needs?: readonly Need[];
}

/** Commands whose examples need no Pods. These examples come first. */
export const WORLDLESS: ReadonlySet<string> = new Set([
  '',
  'init',
  'validate',
  'apply',
  'dev',
  'explain',
  'doctor',
  'completion',
  'version',
  'help',
]);

/** Commands whose examples need stored workloads, but no running Pods. */
export const STORE_ONLY: RegExp = /^(scale|rollout|set|create|run|expose|autoscale|edit|pull|images|image)( |$)/;

/** The recorded states for those examples. */
export const WORKLOADS: readonly string[] = ['deployment-updated', 'statefulset-ready', 'cronjob-with-active-job'];

/** Makes a certificate. */
const CERTIFICATE = 'openssl req -x509 -newkey ed25519 -nodes -subj /CN=web -keyout tls.key -out tls.crt';

const APART: Ending = { needs: ['namespaces'] };

const LAYERS: readonly Need[] = ['layers of images'];

const LEAVE_SHELL = 'exit\r';

/** Endings by example, in the words of the help. */
export const ENDINGS: Readonly<Record<string, Ending>> = {
  // Other programs
  'podrun completion fish | source': { shell: 'fish' },
  // Examples that end with Ctrl-C
  'podrun init web --with probes,sidecar -o web.yaml && podrun apply web.yaml': {
    before: 'rm -f web.yaml',
    shows: /Ready/,
  },
  'podrun dev deploy/': { shows: /started/ },
  'podrun dev pod.yaml --watch-path src': { shows: /started/ },
  // No API server has served the folder.
  'podrun create token default --duration=10m': { exitCode: 2 },
  'podrun init web --kind deployment --with probes -o web.yaml': { before: 'rm -f web.yaml' },
  // An example of `init` has written another shop.yaml.
  ...Object.fromEntries(
    ['-f nodes.yaml', '-f nodes.yaml web-2', '-f nodes.yaml web-2 -o json', '--nodes 3'].map((more) => [
      `podrun why -f shop.yaml ${more}`,
      { before: 'cp deployed.yaml shop.yaml' },
    ]),
  ),
  // No run has declared nodes.
  'podrun node crash node-2': { exitCode: 1 },
  'podrun node start node-2': { exitCode: 1 },
  'podrun get pods -w -o json --output-watch-events': { shows: /ADDED/ },
  'podrun logs web -c proxy -f': { shows: /proxying/ },
  'podrun logs web --hooks -f': { shows: /hooked/ },
  // The log of a workload goes on with the Pods that replace others.
  'podrun logs deployment/web -f': { shows: /serving/ },
  // A container that was just added has no log yet.
  'podrun logs web -c probe': {
    before:
      'podrun wait pod/web --timeout=3m ' +
      '--for=jsonpath=\'{.status.ephemeralContainerStatuses[?(@.name=="probe")].containerID}\'',
  },
  'podrun probes web --type=readiness -f': { shows: /readiness/ },
  'podrun events -w': { shows: /Started/ },
  'podrun attach web': { shows: /serving/ },
  'podrun dashboard': { shows: /#code=/ },
  // There is no kubeconfig.
  'podrun pull-manifest pod/web --context staging > web.yaml': { exitCode: 2 },
  'podrun pull-manifest deploy/api -n shop --context staging --configmaps --redact': { exitCode: 2 },
  'podrun compare job.yaml --context staging': { exitCode: 2 },
  'podrun compare deploy/ --context staging --until ready --timeout 5m': { exitCode: 2 },
  "podrun compare pod.yaml --context staging -o json | jq -r '.pods[].differences[].what'": {},
  'podrun dashboard --port 8001': { shows: /#code=/, port: 8001 },
  'podrun matrix deploy/': { shows: /^SEED/ },
  'podrun matrix deploy/ --seeds 100 --jobs 4 --for 30s': { shows: /^SEED/ },
  'podrun matrix deploy/ --nodes 3 --inject node=crash@1m --speed 100 --for 10s': { shows: /^SEED/ },
  'podrun matrix deploy/ --inject oom:app --seeds 5 -- ./smoke.sh': { exitCode: 2 },
  'podrun port-forward web 8080:80': { shows: /Forwarding/, port: 8080 },
  'podrun port-forward web 5000 :6000': { shows: /Forwarding/, port: 5000 },
  'podrun port-forward svc/web 8443:https': { shows: /Forwarding/, port: 8443 },
  'podrun port-forward --address 0.0.0.0 web 8080:http': { shows: /Forwarding/, port: 8080 },
  'podrun serve': { shows: /KUBECONFIG/ },
  'podrun envtest serve': { shows: /KUBECONFIG/ },
  'podrun serve --port 6443': { shows: /KUBECONFIG/, port: 6443 },
  // The run must have lasted so long
  'podrun get pod web -o yaml --at 3.2s': { before: 'until podrun get pod web --at 3.2s; do sleep 0.2; done' },
  // Examples with input
  'podrun exec -it web -- sh': { keys: LEAVE_SHELL },
  'podrun attach web -c app -it': { keys: '\u0010\u0011', shows: /serving/ },
  'podrun debug web -it': { keys: LEAVE_SHELL },
  'podrun debug web -it --target=app': { keys: LEAVE_SHELL },
  // Saved objects
  'podrun get pods --from pods.json -o wide': { before: 'podrun get pods -o json > pods.json' },
  'podrun describe --from pod.json --from events.json': {
    before: 'podrun get pod web -o json > pod.json && podrun get events -o json > events.json',
  },
  'podrun events --from events.json': { before: 'podrun get events -o json > events.json' },
  // Pods without a controller stay.
  'podrun drain $(podrun get nodes -o name) --ignore-daemonsets': { exitCode: 1 },
  // The workload of this folder is a recorded one: its Pods never ran here.
  'podrun timeline deployment/web': { exitCode: 1 },
  // Runs that differ
  'podrun expect web.expect.yaml web@1': { exitCode: 1 },
  // The Pod of pod.yaml is another one in this folder.
  'podrun apply -o json pod.yaml > run.ndjson; podrun expect web.expect.yaml --from run.ndjson': { exitCode: 1 },
  'podrun diff web@1 web': { exitCode: 1 },
  'podrun diff web@1 web --tolerance 50%': { exitCode: 1 },
  'podrun diff good.ndjson web': { exitCode: 1, before: 'podrun apply job.yaml -o json > good.ndjson' },
  // The Pod of pod.yaml ends after its work: it does not stay Ready.
  'podrun apply -f pod.yaml --until ready --timeout 60s -- ./smoke.sh': { exitCode: 1 },
  // A file that is copied into a container must not reach the machine, whose folders are root's
  'podrun cp config.yaml web:/etc/app/config.yaml': { needs: ['namespaces', 'root'], isRebuilt: true },
  'podrun cp ./site web:/srv -c nginx': APART,
  // The folders of this machine are root's.
  'podrun cp web:/var/log/app ./logs': { needs: ['namespaces', 'root'] },
  'podrun cp staging/web:/var/crash/core core': APART,
  // Images: no registry listens, and none is there
  'podrun pull 127.0.0.1:5000/team/app:1.27': { exitCode: 1, needs: LAYERS },
  'podrun pull -f app.yaml': {
    needs: LAYERS,
    exitCode: 1,
    before: 'sed s,busybox,127.0.0.1:1/app:1, pod.yaml > app.yaml; grep 127.0.0.1:1/ app.yaml',
  },
  'docker save app:dev | podrun image load': { exitCode: 1, needs: LAYERS },
  'podrun image load -i app.tar': { exitCode: 2 },
  'podrun image inspect nginx:1.27': { exitCode: 1 },
  'podrun image inspect docker.io/library/nginx:1.27': { exitCode: 1 },
  'podrun image rm nginx:1.27': { exitCode: 1 },
  // Examples that change Pods
  'podrun wait pod/web --for=delete': { during: 'podrun delete pod web' },
  'podrun wait pods --all --for=condition=Ready': {
    isRebuilt: true,
    before: 'podrun delete pod job',
  },
  'podrun patch pod/web --type=json -p \'[{"op":"remove","path":"/spec/schedulingGates/0"}]\'': {
    before: 'podrun delete pod web --now && podrun apply -d gated-web.yaml',
  },
  'podrun create secret tls web --cert=tls.crt --key=tls.key': { before: CERTIFICATE, needs: ['program openssl'] },
  'podrun rollout resume deployment/web': { before: 'podrun rollout pause deployment/web' },
  'podrun replace --force -f pod.yaml': {
    before: 'podrun apply -d pod.yaml',
  },
  'podrun delete -f pod.yaml --now': { before: 'podrun apply -d pod.yaml' },
  'podrun delete pod stuck --force': {
    // The example before does not wait until its Pods are gone.
    before: 'podrun delete pod stuck --now --ignore-not-found && podrun apply -d stuck.yaml',
  },
};

/** Stand-ins for programs that many machines do not have. They read their input to its end. */
export const PROGRAMS: Readonly<Record<string, string>> = {
  vi: 'true',
  nano: 'true',
  kubectl: 'cat from-cluster.yaml',
  kustomize: 'cat pod.yaml',
  jq: 'cat > jq.json',
  psql: 'cat',
  curl: 'echo ok',
  docker: 'true',
  ss: 'echo Netid',
  nginx: 'echo nginx "$@"',
  go: 'echo ok',
};

const GREETINGS = readFileSync(new URL('../envtest/config/crd/bases/greetings.yaml', import.meta.url), 'utf8');

const sleeps = (name: string, more: Partial<Container> = {}): Container => ({
  name,
  image: 'busybox',
  command: ['sh', '-c', `echo ${name}ing; exec sleep 1000`],
  ...more,
});

/** A container that has written files to copy. */
const DUMPED: Partial<Container> = {
  command: ['sh', '-c', 'mkdir -p /var/crash && echo core > /var/crash/core; exec sleep 1000'],
};

const pod = (name: string, spec: PodSpec, namespace = 'default'): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace, labels: { app: name } },
  spec: { terminationGracePeriodSeconds: 1, ...spec },
});

/** A container that ends once, starts again, and serves until it reads `quit`. */
const app = (folder: string, isApart: boolean): Container => ({
  name: 'app',
  image: 'busybox',
  workingDir: folder,
  stdin: true,
  tty: true,
  command: [
    'sh',
    '-c',
    [
      '[ -e crashed ] || { touch crashed; exit 1; }',
      ...(isApart ? ['mkdir -p /etc/app /var/log/app', 'echo started > /var/log/app/log'] : []),
      '(while echo serving; do sleep 0.5; done) &',
      'while read -r word; do [ "$word" = quit ] && exit; done',
    ].join('\n'),
  ],
  ports: [
    { name: 'http', containerPort: 8080 },
    { name: 'https', containerPort: 8443 },
  ],
  readinessProbe: { exec: { command: ['true'] }, periodSeconds: 1 },
  lifecycle: { postStart: { exec: { command: ['echo', 'hooked'] } } },
});

const webSpec = (folder: string, isApart: boolean): PodSpec => ({
  containers: [
    app(folder, isApart),
    sleeps('main', { image: 'app:1' }),
    sleeps('proxy', { command: ['sh', '-c', 'echo proxying; exec sleep 1000'] }),
    sleeps('nginx'),
  ],
});

const ends: PodSpec = {
  restartPolicy: 'Never',
  containers: [{ name: 'main', image: 'busybox', command: ['sleep', '0.1'] }],
};

/** Lasts until the first seeds have ended it, and starts again then. */
const startsAgain: PodSpec = {
  restartPolicy: 'OnFailure',
  containers: [{ name: 'main', image: 'busybox', command: ['sleep', '2'] }],
};

export const SETTINGS: KubeObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: 'default' },
  data: { level: 'info' },
};

const yaml = (...objects: readonly object[]): string => objects.map((object) => stringify(object)).join('---\n');

/** The files that the examples name, and the manifests of the Pods. */
export const FILES = (folder: string, isApart: boolean): Readonly<Record<string, string>> => ({
  'pod.yaml': yaml(pod('once', ends)),
  'deploy/pod.yaml': yaml(pod('once', ends)),
  'config/crd/greetings.yaml': GREETINGS,
  'site.yaml': yaml({ ...SETTINGS, metadata: { name: 'site' } }),
  'from-cluster.yaml': yaml(
    pod('clustered', { restartPolicy: 'Never', containers: [{ name: 'main', image: 'nginx:1.27' }] }),
  ),
  'first-web.yaml': yaml(pod('web', ends)),
  'gated-web.yaml': yaml(pod('web', { ...webSpec(folder, isApart), schedulingGates: [{ name: 'example.com/wait' }] })),
  'stuck.yaml': yaml(pod('stuck', { containers: [sleeps('main')] })),
  'job.yaml': yaml(pod('job', startsAgain)),
  'world.yaml': yaml(
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'test' } },
    pod('web', webSpec(folder, isApart)),
    pod('api', { containers: [sleeps('main')] }),
    pod('stuck', { containers: [sleeps('main')] }),
    pod('job', ends),
    pod('web', { containers: [sleeps('main', isApart ? DUMPED : {})] }, 'staging'),
    SETTINGS,
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { selector: { app: 'web' }, ports: [{ name: 'https', port: 8443 }] },
    },
  ),
  'settings.yaml': yaml(SETTINGS),
  'scaled.yaml': readFileSync(new URL('../../fixtures/workloads/autoscaler.yaml', import.meta.url), 'utf8'),
  'load.csv': '0,100\n60,900\n',
  'policies.yaml': SHOP,
  'deployed.yaml': deployed('web'),
  'nodes.yaml': NODES,
  'smoke.sh': '#!/bin/sh\necho smoke\n',
  'config.yaml': 'level: debug\n',
  'site/index.html': '<p>hello\n',
  'schema.sql': 'create table words (word text);\n',
  'input.txt': 'yes\nquit\n',
});
