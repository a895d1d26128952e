import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../../src/api/base/objects.ts';
import { imageFolderUnusable } from '../../../src/lifecycle/texts/image-errors.ts';
import {
  endedByFault,
  faultInjected,
  nodeLabelsMissing,
  type MissingLabel,
  workingFolderHidden,
} from '../../../src/lifecycle/texts/podrun-events.ts';
import { noServiceNames } from '../../../src/lifecycle/texts/network-events.ts';
import { listensOnLocalhost, portTaken } from '../../../src/lifecycle/texts/port-events.ts';
import {
  insufficient,
  MISFIT,
  noNode,
  PREEMPTION,
  withoutPreemption,
} from '../../../src/lifecycle/texts/scheduling.ts';
import type { PodEvidence } from '../../../src/history/evidence.ts';
import { explainPod } from '../../../src/print/waits/explain-pod.ts';
import {
  at,
  attempt,
  conditions,
  container,
  ended,
  hookRun,
  NOW_MS,
  running,
  waiting,
  webEvent,
  webPod,
} from '../pods.ts';

/** The message of a Pod that one node rejects. */
const unschedulable = (reason: string): string =>
  withoutPreemption(noNode(1, [reason]), noNode(1, [PREEMPTION.notHelpful]), false);
const explain = (pod: StoredPod, evidence: Partial<PodEvidence> = {}, isEndWanted = false): string[] => {
  const whole = { attempts: [], hooks: [], logs: new Map(), events: [], ...evidence };
  return explainPod({ pod, evidence: whole, untilMs: NOW_MS, isEndWanted }).split('\n').slice(0, -1);
};
const log = (...lines: string[]) => new Map([['main', { lines, isOfPreviousRun: false }]]);
const main = (status: ReturnType<typeof running>, change: Parameters<typeof container>[1] = {}): StoredPod =>
  webPod({ spec: { containers: [container('main', change)] }, status: { containerStatuses: [status] } });
/** A Pod whose container cannot be explained. */
const unconfigured = (message: string, namespace = 'default'): StoredPod =>
  webPod({
    metadata: { namespace },
    status: { containerStatuses: [waiting('main', 'CreateContainerConfigError', { message })] },
  });
/** A Pod that waits for its volumes. */
const mounting = (volumes: NonNullable<StoredPod['spec']['volumes']>): StoredPod =>
  webPod({
    spec: { volumes },
    status: { phase: 'Pending', conditions: [], containerStatuses: [waiting('main', 'ContainerCreating')] },
  });
const failedMount = (why: string) =>
  webEvent('FailedMount', { type: 'Warning', message: `MountVolume.SetUp failed for volume "v" : ${why}` });
/** A Pod that asks for labels that the node lacks. */
const misfit = webPod({
  status: {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', message: unschedulable(MISFIT.affinity) }],
    containerStatuses: [],
  },
});
const labelsMissing = (missing: MissingLabel) => {
  const { reason, message } = nodeLabelsMissing('node-1', [missing]);
  return webEvent(reason, { type: 'Warning', message });
};
const SEE_LOG = 'read its log: podrun logs web -c main';
/** The lines below `what to try:`. */
const tries = (lines: string[]): string[] =>
  lines.slice(lines.indexOf('  what to try:') + 1).map((line) => line.trim());

describe('explainPod()', () => {
  it('quotes the last ten lines of the container that failed, as text', () => {
    const lines = Array.from({ length: 12 }, (_, index) => `line ${index + 1}  `);
    const text = explain(main(ended('main', 3)), { logs: log(...lines, '\u001B[31mpanic\u001B[0m', '\u001B[2Jboo') });
    expect(text).toEqual([
      '  last 10 lines of container main:',
      ...['5', '6', '7', '8', '9', '10', '11', '12'].map((number) => `    line ${number}`),
      '    panic',
      '    ^[[2Jboo',
      '  what to try:',
      `    ${SEE_LOG}`,
    ]);
  });

  it('names the folder that stands for an image and is missing, and no program to map it to', () => {
    const message = imageFolderUnusable('/app/files', 'app', 'is no folder');
    const pod = main(waiting('main', 'ErrImagePull', { message }));
    expect(tries(explain(pod))[0]).toBe('correct its folder under images: in podrun.yaml, or make it');
  });

  it('gives no advice against the end that a fault of --inject has brought', () => {
    const { reason, message } = faultInjected(`${endedByFault('main')} (--inject kill:main@2s --seed 1)`, 'main');
    const fault = webEvent(reason, { type: 'Warning', message, container: 'main', lastTimestamp: at(-11) });
    const dmesg = 'check whether this machine ran out of memory: dmesg lists the processes that the kernel killed';
    expect(tries(explain(main(ended('main', 137))))).toEqual([dmesg, SEE_LOG]);
    expect(tries(explain(main(ended('main', 137)), { events: [fault] }))).toEqual([SEE_LOG]);
  });

  it('lists the attempts of a probe, equal ones in a row together', () => {
    const status = running('main', { ready: false });
    const attempts = [
      attempt({ offsetSeconds: 1, httpStatus: 500, output: 'HTTP probe failed with statuscode: 500' }),
      ...[2, 3, 4].map((offsetSeconds) =>
        attempt({ offsetSeconds, errno: 'ECONNREFUSED', output: 'dial tcp: connect: connection refused' }),
      ),
    ];
    expect(explain(main(status, { readinessProbe: { httpGet: { port: 8080 } } }), { attempts })).toEqual([
      '  readiness probe, http-get http://:8080/ready:',
      '    1s after the start: HTTP 500 (HTTP probe failed with statuscode: 500)',
      '    3 times, 2s to 4s after the start: connection refused (dial tcp: connect: connection refused)',
      '  what to try:',
      '    nothing listens on port 8080: check the port of the program, and that it listens on all addresses',
      '    see every attempt: podrun probes web -c main',
      `    ${SEE_LOG}`,
    ]);
  });

  it('says where a program listens that probes do not reach', () => {
    const status = running('main', { ready: false });
    const attempts = [attempt({ errno: 'ECONNREFUSED' })];
    const { reason, message } = listensOnLocalhost('main', { address: '127.0.0.1:8080', podIP: '127.0.0.2' });
    const lines = explain(main(status, { readinessProbe: { httpGet: { port: 8080 } } }), {
      attempts,
      events: [webEvent(reason, { type: 'Warning', message })],
    });
    expect(tries(lines)[0]).toBe(
      'it listens on 127.0.0.1:8080 only: let it listen on all addresses (0.0.0.0) or on $POD_IP',
    );
    expect(lines.join('\n')).not.toContain('nothing listens');
  });

  it('names the ports of a container whose probe asks for another one, as `validate` does', () => {
    const unready = running('main', { ready: false });
    const attempts = [attempt({ result: 'error', output: 'strconv.Atoi: parsing "htp": invalid syntax' })];
    const change = { ports: [{ name: 'http', containerPort: 80 }], readinessProbe: { httpGet: { port: 'htp' } } };
    expect(tries(explain(main(unready, change), { attempts }))[0]).toBe(
      'correct readinessProbe.httpGet.port: the container has no port "htp": there are http',
    );
  });

  it('says who has the port of a container, and what to do, once', () => {
    const owner = { type: 'program', program: 'nginx', pid: 7 } as const;
    const taken = portTaken('main', { port: 80, owner, hasOwnAddress: true, isEverywhere: true });
    const event = (name: string) => webEvent('PortTaken', { type: 'Warning', message: taken.message, container: name });
    const crashed = main(ended('main', 1));
    expect(explain(crashed, { events: [event('main')] })).toEqual([
      '  what to try:',
      `    ${taken.message}`,
      `    ${SEE_LOG}`,
    ]);
    expect(tries(explain(crashed, { events: [event('other')] }))).toEqual([SEE_LOG]);
  });

  it('says which volume hides the working folder, and what to do', () => {
    const place = { folder: '/tmp/project', volume: 't', mountPath: '/tmp' };
    const { reason, message } = workingFolderHidden('main', place);
    const events = [webEvent(reason, { type: 'Warning', message, container: 'main' })];
    expect(tries(explain(main(ended('main', 2)), { events }))).toEqual([message, SEE_LOG]);
  });

  it('shows a warning about names only where a log tells of an unknown one', () => {
    const { reason, message } = noServiceNames('podrun has no program for them here');
    const events = [webEvent(reason, { type: 'Warning', message })];
    const shown = (line: string): boolean =>
      explain(main(waiting('main', 'CrashLoopBackOff')), { events, logs: log(line) }).some((text) =>
        text.includes(reason),
      );
    expect(['TypeError: x is undefined', 'Error: getaddrinfo ENOTFOUND db'].map(shown)).toEqual([false, true]);
  });

  it('reports earlier runs, and the command for their log', () => {
    const lastState = ended('main', 137, { reason: 'OOMKilled' }).state ?? {};
    const status = running('main', { ready: false, restartCount: 2, lastState });
    const logs = new Map([['main', { lines: ['so much'], isOfPreviousRun: true }]]);
    expect(explain(main(status), { logs })).toEqual([
      '  container main was restarted 2 times; the run before ran out of memory: OOMKilled, exit code 137 (SIGKILL)',
      '  last line of container main in the run before:',
      '    so much',
      '  what to try:',
      `    ${SEE_LOG} --previous`,
    ]);
  });

  it('names the probe that ended the previous run', () => {
    const lastState = ended('main', 137).state ?? {};
    const status = running('main', { ready: false, restartCount: 1, lastState });
    const attempts = [attempt({ probe: 'liveness', failures: 2, exitCode: 1, decision: 'restart' })];
    expect(explain(main(status), { attempts })[0]).toBe(
      '  container main was restarted once; ' +
        'the run before was killed by its liveness probe, which failed 2 times in a row (exit code 1)',
    );
  });

  it('quotes what a postStart hook printed that failed', () => {
    const events = [webEvent('Killing', { container: 'main', lastTimestamp: at(-12), message: 'FailedPostStartHook' })];
    const hooks = [hookRun({ exitCode: 4, output: 'migrating\nno database\n' })];
    const failed = webPod({ status: { phase: 'Failed', containerStatuses: [ended('main', 143)] } });
    expect(explain(failed, { events, hooks })).toEqual([
      '  last 2 lines of the postStart hook of container main:',
      '    migrating',
      '    no database',
      '  what to try:',
      '    read the output of its hooks: podrun logs web -c main --hooks',
      `    ${SEE_LOG}`,
    ]);
  });

  it('names no command about a Pod that was deleted', () => {
    const gone = webPod({
      metadata: { deletionTimestamp: at(0), deletionGracePeriodSeconds: 30 },
      status: { phase: 'Failed', containerStatuses: [ended('main', 3, { finishedAt: at(-50) })] },
    });
    expect(explain(gone)).toEqual([]);
  });

  it.each<[what: string, graceSeconds: number, startedAt: string | undefined]>([
    ['whose container never started', 5, undefined],
    ['that was deleted by force', 0, at(-30)],
  ])('does not blame the program of a Pod %s', (_what, deletionGracePeriodSeconds, startedAt) => {
    const gone = webPod({
      metadata: { deletionTimestamp: at(-15), deletionGracePeriodSeconds },
      status: { phase: 'Failed', containerStatuses: [ended('main', 137, { startedAt })] },
    });
    expect(explain(gone).join('\n')).not.toContain('SIGTERM');
  });

  it('reports the activity of a Pod at its deadline', () => {
    const status = { reason: 'DeadlineExceeded', containerStatuses: [ended('main', 143)] };
    const late = webPod({ spec: { activeDeadlineSeconds: 2 }, status });
    expect(explain(late, { logs: log('working') })).toEqual([
      '  last line of container main:',
      '    working',
      '  what to try:',
      '    raise spec.activeDeadlineSeconds (it is 2)',
      `    ${SEE_LOG}`,
    ]);
  });

  it('shows the last warning, unless the probes show it', () => {
    const starting = main(waiting('main', 'ContainerCreating'));
    const warning = webEvent('FailedCreatePodSandBox', { type: 'Warning', message: 'no room' });
    expect(explain(starting, { events: [warning] })[0]).toBe('  last warning: FailedCreatePodSandBox: no room');
    expect(explain(starting, { events: [{ ...warning, firstTimestamp: at(5) }] })[0]).toBe('  what to try:');
    const unhealthy = webEvent('Unhealthy', { type: 'Warning', message: 'Readiness probe failed' });
    const text = explain(main(running('main', { ready: false })), { attempts: [attempt()], events: [unhealthy] });
    expect(text.join('\n')).not.toContain('warning');
  });

  it.each<[want: string, lines: string[]]>([
    [
      'raise resources.limits.memory of main (it is 64Mi)',
      explain(main(ended('main', 137, { reason: 'OOMKilled' }), { resources: { limits: { memory: '64Mi' } } })),
    ],
    ['check that the program exists', explain(main(ended('main', 127)))],
    ['make the program executable', explain(main(ended('main', 126)))],
    ['check whether this machine ran out of memory', explain(main(ended('main', 137)))],
    [
      'have the program end on SIGTERM, or raise spec.terminationGracePeriodSeconds (it is 5)',
      explain(
        webPod({
          metadata: { deletionTimestamp: at(-15), deletionGracePeriodSeconds: 5 },
          spec: { terminationGracePeriodSeconds: 5 },
          status: { phase: 'Failed', containerStatuses: [ended('main', 137)] },
        }),
      ),
    ],
    ['the program crashed', explain(main(ended('main', 139)))],
    ['a program that ends is not Ready', explain(main(ended('main', 0)))],
    [
      "map the image to a program: podrun apply --image 'busybox=COMMAND'",
      explain(main(waiting('main', 'ImagePullBackOff'))),
    ],
    [
      'apply it again when the registry responds',
      explain(main(waiting('main', 'ImagePullBackOff', { message: 'connection refused (failed 4 times)' }))),
    ],
    ['add ConfigMap settings to the manifest', explain(unconfigured('configmap "settings" not found'))],
    [
      'add key password to Secret creds (namespace shop), or mark it optional',
      explain(unconfigured("couldn't find key password in Secret shop/creds", 'shop')),
    ],
    [
      'set securityContext.runAsUser to a user other than 0',
      explain(unconfigured('container has runAsNonRoot and image will run as root (pod: "web", container: main)')),
    ],
    [
      'set securityContext.runAsUser to the number of user app: a name does not show that it is not root',
      explain(
        unconfigured(
          'container has runAsNonRoot and image has non-numeric user (app), cannot verify user is non-root (pod: web)',
        ),
      ),
    ],
    [
      'add Secret creds to the manifest',
      explain(mounting([{ name: 'v', secret: { secretName: 'creds' } }]), {
        events: [failedMount('secret "creds" not found')],
      }),
    ],
    [
      'add key ca.pem to Secret creds, or mark it optional',
      explain(mounting([{ name: 'v', secret: { secretName: 'creds' } }]), {
        events: [failedMount('references non-existent secret key: ca.pem')],
      }),
    ],
    [
      'create the directory /data, or give the volume hostPath.type DirectoryOrCreate',
      explain(mounting([{ name: 'v', hostPath: { path: '/data', type: 'Directory' } }]), {
        events: [failedMount('hostPath type check failed: /data is not a directory')],
      }),
    ],
    [
      'add PersistentVolumeClaim db to the manifest',
      explain(
        webPod({
          status: {
            phase: 'Pending',
            conditions: [
              {
                type: 'PodScheduled',
                status: 'False',
                message: '0/1 nodes are available: persistentvolumeclaim "db" not found. not found',
              },
            ],
            containerStatuses: [],
          },
        }),
      ),
    ],
    [
      'if the program was only slow, raise the limits of its livenessProbe: failureThreshold is 3, periodSeconds 10',
      explain(main(ended('main', 137), { livenessProbe: {} }), {
        attempts: [attempt({ probe: 'liveness', decision: 'restart' })],
      }),
    ],
    [
      'if it needs longer than 300s to start, raise failureThreshold (30)',
      explain(main(running('main', { ready: false, started: false }), { startupProbe: { failureThreshold: 30 } }), {
        attempts: [attempt({ probe: 'startup' })],
      }),
    ],
    [
      'raise timeoutSeconds of its readinessProbe (1)',
      explain(main(running('main', { ready: false }), { readinessProbe: {} }), {
        attempts: [attempt({ result: 'timeout' })],
      }),
    ],
    [
      'wait longer: its first readiness probe comes 60s after the start',
      explain(main(running('main', { ready: false }), { readinessProbe: { initialDelaySeconds: 60 } })),
    ],
    [
      'open the readiness gate: podrun condition pod web example.com/lb=True',
      explain(
        webPod({
          spec: { readinessGates: [{ conditionType: 'example.com/lb' }] },
          status: { conditions: [{ type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady' }] },
        }),
      ),
    ],
    [
      'add the missing labels to this machine in podrun.yaml: { node: { labels: { disk: "ssd" } } }',
      explain(misfit, { events: [labelsMissing({ key: 'disk', value: 'ssd', actual: 'hdd' })] }),
    ],
    ['add the missing labels to this machine in podrun.yaml: { node: { labels: { KEY: VALUE } } }', explain(misfit)],
    [
      'see its details: podrun describe pod web',
      explain(misfit, { events: [labelsMissing({ key: 'kubernetes.io/os', value: 'windows', actual: 'linux' })] }),
    ],
    ['with restartPolicy Always the Pod never ends', explain(webPod({ spec: { restartPolicy: 'Always' } }), {}, true)],
  ])('has an idea: %s', (want, lines) => {
    expect(tries(lines)[0]?.startsWith(want)).toBe(true);
  });

  it('names the namespace in commands', () => {
    const shop = webPod({ metadata: { namespace: 'shop' }, status: { containerStatuses: [ended('main', 3)] } });
    expect(tries(explain(shop))).toEqual([`${SEE_LOG} -n shop`]);
  });

  it.each([
    ['/srv/podrun', '/srv/podrun'],
    ["/my state's", `'/my state'\\''s'`],
  ])('names the state folder %s in commands when it was given', (stateDir, quoted) => {
    const failed = main(ended('main', 3));
    const evidence = { attempts: [], hooks: [], logs: new Map(), events: [] };
    expect(explainPod({ pod: failed, evidence, untilMs: NOW_MS, stateDir })).toContain(
      `podrun --state-dir ${quoted} logs web -c main\n`,
    );
  });

  it('shows what a Pod is at that was to end', () => {
    const busy = webPod({ status: { conditions: conditions({ Ready: 'True' }) } });
    expect(explain(busy, { logs: log('10%', '20%') }, true).slice(0, 3)).toEqual([
      '  last 2 lines of container main:',
      '    10%',
      '    20%',
    ]);
    expect(explain(webPod({ status: { phase: 'Succeeded' } }))).toEqual([]);
  });
});

it.each([insufficient('memory'), MISFIT.tooManyPods])(
  'a Pod that this machine has no room for (%s) names a cluster',
  (reason) => {
    const scheduled = {
      type: 'PodScheduled',
      status: 'False',
      message: unschedulable(reason),
    };
    const pod = webPod({ status: { phase: 'Pending', conditions: [scheduled], containerStatuses: [] } });
    expect(tries(explain(pod))).toContain('run it on a cluster that has room: podrun apply --context NAME');
  },
);
