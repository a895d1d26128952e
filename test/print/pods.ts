import type { Container, ContainerStatus, PodSpec, PodStatus } from '../../src/api/generated/types.ts';
import type { HookRun } from '../../src/lifecycle/activity.ts';
import type { ProbeAttempt } from '../../src/lifecycle/probes/probe-attempt.ts';
import type { StoredEvent, StoredMeta, StoredPod } from '../../src/api/base/objects.ts';

/** The current time of these tests; statuses below use times around it. */
export const NOW_MS: number = Date.parse('2026-01-15T12:00:00Z');

/** An RFC 3339 time some seconds after the current time of these tests; negative: before it. */
export function at(seconds: number): string {
  return new Date(NOW_MS + seconds * 1000).toISOString();
}

/** A Pod named `web` with a running and ready container `main`, and with changes. */
export function webPod(
  change: { metadata?: Partial<StoredMeta>; spec?: Partial<PodSpec>; status?: Partial<PodStatus> } = {},
): StoredPod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'u-1',
      resourceVersion: '1',
      creationTimestamp: at(-60),
      ...change.metadata,
    },
    spec: { containers: [container('main')], restartPolicy: 'Never', nodeName: 'node-1', ...change.spec },
    status: {
      phase: 'Running',
      conditions: conditions({ Initialized: 'True', Ready: 'True', ContainersReady: 'True', PodScheduled: 'True' }),
      containerStatuses: [running('main')],
      ...change.status,
    },
  };
}

export function container(name: string, change: Partial<Container> = {}): Container {
  return { name, image: 'busybox', ...change };
}

/** A restartable init container. */
export function sidecar(name: string, change: Partial<Container> = {}): Container {
  return container(name, { restartPolicy: 'Always', ...change });
}

function containerStatus(name: string, change: Partial<ContainerStatus>): ContainerStatus {
  return { name, ready: false, started: false, restartCount: 0, image: 'busybox', imageID: '', ...change };
}

export function running(name: string, change: Partial<ContainerStatus> = {}): ContainerStatus {
  const state = { running: { startedAt: at(-30) } };
  return containerStatus(name, { state, ready: true, started: true, ...change });
}

export function waiting(
  name: string,
  reason: string | undefined,
  change: Partial<ContainerStatus> & { message?: string } = {},
): ContainerStatus {
  const { message, ...rest } = change;
  return containerStatus(name, { state: { waiting: { reason, message } }, ...rest });
}

/** A state of a container that ended with an exit code, with the usual reason. */
export function ended(
  name: string,
  exitCode: number,
  change: Partial<ContainerStatus> & {
    reason?: string;
    message?: string;
    startedAt?: string | undefined;
    finishedAt?: string;
  } = {},
): ContainerStatus {
  const { reason = exitCode === 0 ? 'Completed' : 'Error', message, finishedAt = at(-10), ...others } = change;
  const { startedAt, ...rest } = { startedAt: at(-30), ...others };
  const terminated = { exitCode, reason, message, startedAt, finishedAt };
  return containerStatus(name, { state: { terminated }, ...rest });
}

/** Conditions by type, without reasons. */
export function conditions(status: Readonly<Record<string, string>>): NonNullable<PodStatus['conditions']> {
  return Object.entries(status).map(([type, value]) => ({ type, status: value }));
}

/** An event about the Pod `web`, or about one of its containers. */
export function webEvent(reason: string, change: Partial<StoredEvent> & { container?: string } = {}): StoredEvent {
  const { container: name, ...rest } = change;
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: 'e', namespace: 'default', uid: 'e-1', resourceVersion: '1', creationTimestamp: at(-5) },
    involvedObject: {
      kind: 'Pod',
      name: 'web',
      namespace: 'default',
      uid: 'u-1',
      fieldPath: name === undefined ? undefined : `spec.containers{${name}}`,
    },
    reason,
    message: '',
    type: 'Normal',
    count: 1,
    firstTimestamp: at(-5),
    lastTimestamp: at(-5),
    source: { component: 'kubelet' },
    ...rest,
  };
}

/** A run of the postStart hook of the container `main` that failed. */
export function hookRun(change: Partial<HookRun> = {}): HookRun {
  return {
    time: at(-29),
    container: 'main',
    restartCount: 0,
    hook: 'postStart',
    handler: 'exec [migrate]',
    durationMs: 20,
    result: 'failure',
    ...change,
  };
}

/** An attempt of a probe of the container `main`, by default a failure. */
export function attempt(change: Partial<ProbeAttempt> = {}): ProbeAttempt {
  return {
    time: at(-1),
    offsetSeconds: 1,
    container: 'main',
    restartCount: 0,
    probe: 'readiness',
    handler: 'http-get http://:8080/ready',
    durationMs: 3,
    result: 'failure',
    output: '',
    successes: 0,
    failures: 1,
    successThreshold: 1,
    failureThreshold: 3,
    decision: 'none',
    ...change,
  };
}
