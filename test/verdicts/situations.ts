import type { Door } from './doors.ts';

/** A verdict, in each form in which podrun gives it. */
export interface Expected {
  readonly exitCode: number;
  /** A line on standard error behind `error: `, or the message of the library's error. Undefined: there is none. */
  readonly error?: RegExp;
  /** The names of JUnit cases that must have failed. With exit code 0 none has. */
  readonly failed?: readonly RegExp[];
  /** Standard output has this. */
  readonly says?: string;
}

/** A difference between the doors that is right. */
interface Difference {
  readonly why: string;
  /** Undefined: the door has no such situation. */
  readonly want?: Expected;
}

/** Objects, what they have to reach, and what happens to them then: the same through each door. */
export interface Situation {
  readonly objects: readonly object[];
  /** The goals, as in `--until`. Empty: the default of a COMMAND. */
  readonly until: readonly string[];
  /** The COMMAND, for a shell that has podrun in $PODRUN. Undefined: there is none. */
  readonly command?: string;
  readonly want: Expected;
  readonly differs?: { readonly [door in Door]?: Difference };
  /** The verdicts of `podrun wait` afterwards, on one object each: it knows no run. */
  readonly wait?: readonly { readonly args: readonly string[]; readonly exitCode: number; readonly error?: RegExp }[];
}

const sh = (script: string): readonly string[] => ['sh', '-c', script];

function job(script: string): object {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'migrate' },
    spec: {
      backoffLimit: 0,
      template: {
        spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', command: sh(script) }] },
      },
    },
  };
}

/** A server that is Ready while the file `unready` does not exist, and crashes at the first `crash`. */
const SERVER = {
  terminationGracePeriodSeconds: 0,
  containers: [
    {
      name: 'main',
      image: 'busybox',
      command: sh('until test -e crash; do sleep 0.1; done; rm crash; exit 3'),
      readinessProbe: { exec: { command: sh('! test -e unready') }, periodSeconds: 1, failureThreshold: 1 },
    },
  ],
};
const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: SERVER };
const SHOP = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };
const ONCE = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'once' },
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox', command: sh('exit 3') }] },
};
export const DEPLOYMENT: object = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web' },
  spec: {
    progressDeadlineSeconds: 20,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: SERVER },
  },
};
export function service(selector: object, port: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: { selector, ports: [{ port: 80, ...port }] },
  };
}

const INGRESS = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'Ingress',
  metadata: { name: 'shop' },
  spec: { defaultBackend: { service: { name: 'shp', port: { number: 80 } } } },
};
const NAMED_PORT = {
  ...POD,
  spec: {
    containers: [
      {
        name: 'main',
        image: 'busybox',
        command: ['sleep', '1000'],
        ports: [{ name: 'http', containerPort: 8080 }],
        livenessProbe: { tcpSocket: { port: 'htp' } },
      },
    ],
  },
};
const CONFIG = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: 'b' } };
const UNTIL_GO = 'until test -e go; do sleep 0.1; done';

/** podrun without the mark of COMMAND, as in another terminal. */
const AS_A_PERSON = 'env -u PODRUN_CONTAINER_ID $PODRUN';

const NO_COMMAND: Difference = { why: 'the library has no COMMAND: its caller has an end of its own' };
const NO_GOAL: Difference = { why: 'a server has no goal that an object could miss' };
const NOTHING_TO_WAIT_FOR: Difference = { why: 'until() is about Pods and workloads' };
const MIGRATION = /^job "migrate" (failed|cannot become \w+): BackoffLimitExceeded/;

/** The situations, by title. */
export const SITUATIONS: Readonly<Record<string, Situation>> = {
  'a Job has failed before COMMAND': {
    objects: [job('exit 4'), POD],
    until: [],
    command: 'echo checked',
    want: { exitCode: 1, error: MIGRATION, failed: [/^Job migrate$/] },
    wait: [
      {
        args: ['job/migrate', '--for=condition=Complete'],
        exitCode: 1,
        error: /^job\/migrate can never become Complete: BackoffLimitExceeded, 1 Pod failed \(last: exit code 4\)$/m,
      },
      { args: ['job/migrate', '--for=condition=Failed'], exitCode: 0 },
      { args: ['pod/web', '--for=condition=Ready'], exitCode: 0 },
    ],
  },
  'a Job has failed before everything is Ready': {
    objects: [job('exit 4'), POD],
    until: ['ready'],
    want: { exitCode: 1, error: MIGRATION, failed: [/^Job migrate$/] },
  },
  'the Pod of a Job was Ready for a moment only': {
    objects: [job('exit 4')],
    until: ['ready'],
    want: { exitCode: 1, error: MIGRATION, failed: [/^Job migrate$/] },
  },
  'a Job fails while COMMAND runs': {
    objects: [job(`${UNTIL_GO}; exit 4`), POD],
    until: ['ready'],
    command: 'touch go; $PODRUN wait job/migrate --for=condition=Failed',
    want: { exitCode: 1, error: MIGRATION, failed: [/^Job migrate$/] },
  },
  'a Job is Complete before COMMAND begins': {
    objects: [job('sleep 1; touch migrated'), POD],
    until: [],
    command: 'test -e migrated && echo checked',
    want: { exitCode: 0, says: 'checked\n' },
    wait: [
      { args: ['job/migrate', '--for=condition=Complete'], exitCode: 0 },
      { args: ['job/migrate', '--for=condition=Ready', '--timeout=0'], exitCode: 1 },
    ],
  },
  'two goals are both met': {
    objects: [job('sleep 1; touch migrated'), POD],
    until: ['ready', 'complete'],
    want: { exitCode: 0 },
    differs: {
      library: { why: 'until() has one goal, and `up` is this one' },
    },
  },
  'a Pod has failed, and that is the goal': {
    objects: [ONCE],
    until: ['failed'],
    want: { exitCode: 0 },
    differs: {
      serve: {
        why: 'nobody tells the server that a failure is wanted',
        want: { exitCode: 1, error: /^pod "once" failed: container main exited with code 3$/ },
      },
    },
    wait: [{ args: ['pod/once', '--for=jsonpath={.status.phase}=Failed'], exitCode: 0 }],
  },
  'a Pod has failed': {
    objects: [ONCE, POD],
    until: ['ready'],
    want: {
      exitCode: 1,
      error: /^pod "once" (failed|cannot become [Rr]eady): container main exited with code 3/,
      failed: [/^Pod once$/],
    },
    wait: [
      { args: ['pod/once', '--for=condition=Ready'], exitCode: 1, error: /pod\/once can never become Ready/ },
      { args: ['pod/web', '--for=condition=Ready'], exitCode: 0 },
    ],
  },
  'a Pod is not Ready at the end of COMMAND': {
    objects: [POD],
    until: [],
    command: 'touch unready; $PODRUN wait pod/web --timeout=3m --for=condition=Ready=False',
    want: {
      exitCode: 1,
      error: /^pod "web" stopped being Ready while COMMAND was running: container main is not ready/,
      failed: [/^goal Ready$/],
    },
    differs: {
      library: {
        why: 'a caller who asks again waits again, to its own timeout',
        want: { exitCode: 1, error: /^timed out after .*\npod\/web: container main to become ready \(readiness probe/ },
      },
    },
    wait: [{ args: ['pod/web', '--for=condition=Ready', '--timeout=0'], exitCode: 1 }],
  },
  'a Pod crashes while COMMAND runs, and comes back': {
    objects: [POD],
    until: [],
    command: `touch crash
      $PODRUN wait pod/web --timeout=3m --for=jsonpath='{.status.containerStatuses[0].restartCount}'=1
      $PODRUN wait pod/web --timeout=3m --for=condition=Ready`,
    want: {
      exitCode: 1,
      error: /^pod "web" did not stay Ready while COMMAND was running: container main exited with code 3/,
      failed: [/^Pod web$/],
    },
    differs: { library: { why: 'nobody watches between two calls of until()', want: { exitCode: 0 } } },
    wait: [{ args: ['pod/web', '--for=condition=Ready'], exitCode: 0 }],
  },
  'a Deployment is not Ready at the end of COMMAND': {
    objects: [DEPLOYMENT],
    until: [],
    command: 'touch unready; $PODRUN wait deployment/web --for=condition=Available=False',
    want: {
      exitCode: 1,
      error: /^deployment "web" stopped being [Rr]eady while COMMAND was running/,
      failed: [/^Deployment web$/],
    },
    differs: {
      library: {
        why: 'a caller who asks again waits again, to its own timeout',
        want: { exitCode: 1, error: /^timed out after .*\ndeployment\/web: / },
      },
    },
  },
  'COMMAND fails, and a Pod is not Ready': {
    objects: [POD],
    until: [],
    command: 'touch unready; $PODRUN wait pod/web --timeout=3m --for=condition=Ready=False; exit 7',
    want: { exitCode: 7, error: /^pod "web" stopped being Ready/, failed: [/^sh -c/] },
    differs: { library: NO_COMMAND },
  },
  'COMMAND deletes the Pod': {
    objects: [POD],
    until: [],
    command: '$PODRUN delete pod web',
    want: { exitCode: 0 },
    differs: { library: NO_COMMAND },
  },
  'a person deletes the Pod while COMMAND runs': {
    objects: [POD],
    until: [],
    command: `${AS_A_PERSON} delete pod web`,
    want: {
      exitCode: 1,
      error: /^pod "web" was deleted while COMMAND was running: by .+ with podrun delete pod web .*\(process \d+\)$/,
      failed: [/^Pod web$/],
    },
    differs: { library: NO_COMMAND },
  },
  'a person deletes the Pod by force while COMMAND runs': {
    objects: [POD],
    until: [],
    command: `${AS_A_PERSON} delete pod web --force`,
    want: { exitCode: 1, error: /^pod "web" was deleted while COMMAND was running: by .+ with .* --force \(process/ },
    differs: { library: NO_COMMAND },
  },
  'a person deletes the namespace while COMMAND runs': {
    objects: [SHOP, { ...POD, metadata: { ...POD.metadata, namespace: 'shop' } }],
    until: [],
    command: `${AS_A_PERSON} delete namespace shop`,
    want: {
      exitCode: 1,
      error: /^pod "web" .*was deleted while COMMAND was running: by .+ with podrun delete namespace/,
    },
    differs: { library: NO_COMMAND },
  },
  'COMMAND deletes the namespace': {
    objects: [SHOP, { ...POD, metadata: { ...POD.metadata, namespace: 'shop' } }],
    until: [],
    command: '$PODRUN delete namespace shop',
    want: { exitCode: 0 },
    differs: { library: NO_COMMAND },
  },
  'a COMMAND without Pods fails': {
    objects: [CONFIG],
    until: [],
    command: 'false',
    want: { exitCode: 1 },
    differs: { library: NOTHING_TO_WAIT_FOR },
  },
  'a COMMAND without Pods succeeds': {
    objects: [CONFIG],
    until: [],
    command: 'echo checked',
    want: { exitCode: 0, says: 'checked\n' },
    differs: { library: NOTHING_TO_WAIT_FOR },
  },
  'a Service selects no Pod': {
    objects: [DEPLOYMENT, service({ app: 'wbe' })],
    until: ['ready'],
    want: {
      exitCode: 1,
      error: /^service\/web: spec.selector: selects no Pod: the Pods here have app=web$/,
      failed: [/^serves$/],
    },
    differs: { serve: { why: 'a server has no goal that a Service could miss', want: { exitCode: 0 } } },
  },
  'the Pods of a Service have no port of its name': {
    objects: [DEPLOYMENT, service({ app: 'web' }, { targetPort: 'http' })],
    until: [],
    command: 'echo never',
    want: {
      exitCode: 1,
      error: /^service\/web: spec.ports\[0\].targetPort: no Pod of the Service has a port "http"/,
    },
    differs: { serve: NO_GOAL },
  },
  'an Ingress leads to no Service': {
    objects: [DEPLOYMENT, INGRESS],
    until: ['up'],
    want: {
      exitCode: 1,
      error: /^ingress\/shop: spec.defaultBackend.service.name: there is no Service "shp" here$/,
    },
    differs: { serve: NO_GOAL },
  },
  'a probe names a port that its container lacks': {
    objects: [NAMED_PORT],
    until: ['ready'],
    want: {
      exitCode: 1,
      error: /livenessProbe.tcpSocket.port: the container has no port "htp": there are http. Did you/,
    },
    differs: { serve: NO_GOAL },
  },
  'names that lead nowhere, without a goal': {
    objects: [job('true'), service({ app: 'wbe' }), INGRESS],
    until: [],
    want: { exitCode: 0 },
    differs: {
      detach: { why: 'it waits for a goal, or it waits for nothing' },
      library: { why: 'it waits for a goal, or it waits for nothing' },
      serve: NO_GOAL,
    },
  },
};
