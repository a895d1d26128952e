import type { Container, ContainerStatus, PodSpec } from '../../src/api/generated/types.ts';
import type { StoredEvent, StoredPod } from '../../src/api/base/objects.ts';
import { formatTime } from '../../src/api/base/time.ts';
import type { RecordedRun, RecordedTransition } from '../../src/history/base/recorded-run.ts';

/** The beginning of all runs of these tests. */
export const BEGIN_MS: number = Date.UTC(2026, 0, 15, 12);

/** A change of a container. */
export type ContainerChange = 'starts' | { readonly exits: number; readonly reason?: string } | { waits: string };

/** A new state of the Pod, or an Event. */
export interface Happening {
  readonly phase?: string;
  readonly reason?: string;
  readonly conditions?: Readonly<Record<string, 'True' | 'False'>>;
  readonly containers?: Readonly<Record<string, ContainerChange>>;
  /** The reason of an Event. The same reason again increases its count. */
  readonly event?: string;
  readonly message?: string;
  readonly type?: 'Normal' | 'Warning';
  readonly deleted?: true;
}

interface RunOptions {
  readonly name?: string;
  readonly uid?: string;
  readonly spec?: Partial<PodSpec>;
  readonly containers?: readonly string[];
  readonly beginMs?: number;
}

/** A run with these happenings, each at its seconds after the beginning. */
export function runOf(happenings: ReadonlyArray<readonly [number, Happening]>, options: RunOptions = {}): RecordedRun {
  const { name = 'web', uid = `${name}-uid`, beginMs = BEGIN_MS } = options;
  let pod = bornPod({ ...options, name, uid, beginMs });
  const counts = new Map<string, number>();
  const transitions: RecordedTransition[] = [{ at: beginMs, type: 'ADDED', object: pod }];
  for (const [seconds, happening] of happenings) {
    const at = beginMs + seconds * 1000;
    if (happening.event !== undefined) {
      const count = (counts.get(happening.event) ?? 0) + 1;
      counts.set(happening.event, count);
      const object = eventOf(pod, happening, { at, count });
      transitions.push({ at, type: count === 1 ? 'ADDED' : 'MODIFIED', object });
      continue;
    }
    pod = changed(pod, happening, formatTime(at));
    transitions.push({ at, type: happening.deleted ? 'DELETED' : 'MODIFIED', object: pod });
  }
  return { namespace: 'default', name, uid, transitions, probes: [], hooks: [] };
}

function bornPod({ name, uid, beginMs, spec, containers = ['main'] }: RunOptions & { beginMs: number }): StoredPod {
  const bare = containers.map((one): Container => ({ name: one, image: 'busybox' }));
  const creationTimestamp = formatTime(beginMs);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: name ?? '', namespace: 'default', uid: uid ?? '', resourceVersion: '1', creationTimestamp },
    spec: { containers: bare, ...spec },
    status: { phase: 'Pending' },
  };
}

function changed(
  pod: StoredPod,
  { phase, reason, conditions = {}, containers = {} }: Happening,
  at: string,
): StoredPod {
  const kept = (pod.status.conditions ?? []).filter(({ type }) => conditions[type] === undefined);
  const turned = Object.entries(conditions).map(([type, status]) => ({ type, status, lastTransitionTime: at }));
  const statuses = new Map((pod.status.containerStatuses ?? []).map((status) => [status.name, status]));
  for (const [name, change] of Object.entries(containers)) {
    statuses.set(name, containerStatus(name, statuses.get(name), { change, at }));
  }
  return {
    ...pod,
    status: {
      ...pod.status,
      phase: (phase ?? pod.status.phase) as 'Pending',
      ...(reason === undefined ? {} : { reason }),
      conditions: [...kept, ...turned],
      containerStatuses: [...statuses.values()],
    },
  };
}

function containerStatus(
  name: string,
  before: ContainerStatus | undefined,
  { change, at }: { change: ContainerChange; at: string },
): ContainerStatus {
  const { restartCount = 0, state, lastState = {} } = before ?? {};
  const base = { name, image: 'busybox', imageID: '', ready: change === 'starts', restartCount, lastState };
  if (change === 'starts') {
    const ended = state?.terminated ?? (state?.waiting ? lastState.terminated : undefined);
    const again = ended === undefined ? {} : { restartCount: restartCount + 1, lastState: { terminated: ended } };
    return { ...base, ...again, state: { running: { startedAt: at } } };
  }
  if ('waits' in change) {
    const last = state?.terminated === undefined ? lastState : { terminated: state.terminated };
    return { ...base, lastState: last, state: { waiting: { reason: change.waits } } };
  }
  const { exits: exitCode, reason = exitCode === 0 ? 'Completed' : 'Error' } = change;
  const startedAt = state?.running?.startedAt ?? at;
  return { ...base, state: { terminated: { exitCode, reason, startedAt, finishedAt: at } } };
}

function eventOf(
  { metadata: { name, namespace, uid } }: StoredPod,
  { event: reason = '', message = '', type = 'Normal' }: Happening,
  { at, count }: { at: number; count: number },
): StoredEvent {
  const time = formatTime(at);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${reason}`, namespace, uid: reason, resourceVersion: '1', creationTimestamp: time },
    involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace, name, uid },
    reason,
    message,
    type,
    count,
    lastTimestamp: time,
  };
}
