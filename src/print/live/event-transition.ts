import { ownValue, type StoredEvent, type StoredPod } from '../../api/index.ts';
import { eventSubject } from '../../history/index.ts';
import { FAULT_OVER, FIELD_HAS_NO_EFFECT, REQUESTS_COUNTED, RESTARTING_ALL } from '../../lifecycle/index.ts';
import { containersOf, roleWord } from '../base/pod-container.ts';
import type { Tone } from '../text/painter.ts';
import type { Change, Transition } from './transition.ts';

type ChangeText = Pick<Change, 'text' | 'why' | 'tone'>;

/**
 * Events without news beyond the Pod's status: starts, failed starts (`Failed`), back-off, scheduling. Also events that
 * share one line in the live view, see without-effect-transition.ts.
 */
const REPEATS_STATUS: ReadonlySet<string> = new Set([
  'Scheduled',
  'Pulled',
  'Created',
  'Started',
  'Failed',
  'BackOff',
  'ErrImageNeverPull',
  'InspectFailed',
  'FailedScheduling',
  'Evicted',
  FIELD_HAS_NO_EFFECT,
]);

/** True for an event with news that no status contains. */
export function isAbsentFromStatus({ reason = '' }: StoredEvent): boolean {
  return !REPEATS_STATUS.has(reason);
}

/** The hooks that a container waits for, at the time of the event. */
interface AwaitedHooks {
  readonly postStart: boolean;
  readonly preStop: boolean;
}

/** The lines for events by reason. */
const CHANGE_TEXTS: Readonly<Record<string, (message: string, hooks: AwaitedHooks) => ChangeText | undefined>> = {
  // The status shows a container as running only after its postStart hook.
  Started: (_, { postStart }) =>
    postStart ? { text: 'started', why: 'waiting for its postStart hook', tone: 'info' } : undefined,
  Pulling: (message) => ({ text: message.replace(/^P/, 'p'), tone: 'muted' }),
  Killing: killingText,
  Unhealthy: probeText,
  ProbeWarning: probeText,
  FailedPostStartHook: () => ({ text: 'postStart hook failed', tone: 'bad' }),
  FailedPreStopHook: () => ({ text: 'preStop hook failed', tone: 'bad' }),
  DeadlineExceeded: () => ({ text: 'deadline exceeded', tone: 'bad' }),
  SandboxChanged: (message) => ({ text: 'sandbox changed', why: message, tone: 'info' }),
  [FAULT_OVER]: (message) => ({ text: FAULT_OVER, why: message, tone: 'info' }),
  [REQUESTS_COUNTED]: (message) => ({ text: REQUESTS_COUNTED, why: message, tone: 'info' }),
};

/** Events that the kubelet repeats on every sync: only the first one gets a line. */
const ONCE: ReadonlySet<string> = new Set(['DeadlineExceeded']);

/** Events that each change the state of a container: every one gets a line. */
const EACH_TIME: ReadonlySet<string> = new Set(['Started', 'Killing', 'FailedPostStartHook', 'FailedPreStopHook']);

/**
 * The line of the live view for an event, if any. A repeated event without a new state gets a line at its first,
 * second, fourth, eighth time and so on.
 * @param atMs time at which it was seen, milliseconds since 1970
 * @param pod the last seen state of the Pod; undefined when it is unknown
 */
export function eventTransition(event: StoredEvent, atMs: number, pod?: StoredPod): Transition | undefined {
  const { reason = '', involvedObject } = event;
  const { message, container, isCombined } = eventSubject(event);
  // Each occurrence of a combined event is about another container.
  const isNews = isCombined && container !== undefined;
  const count = isNews || EACH_TIME.has(reason) ? 1 : (event.series?.count ?? event.count ?? 1);
  if (involvedObject.kind !== 'Pod' || !isPowerOfTwo(count) || (count > 1 && ONCE.has(reason))) return undefined;
  const format = ownValue(CHANGE_TEXTS, reason);
  const change = format ? format(message, awaitedHooks(pod, container)) : warningText(event, message);
  if (change === undefined) return undefined;
  return {
    atMs,
    pod: involvedObject.name ?? '',
    container,
    role: roleOf(pod, container),
    kind: 'event',
    ...change,
    text: count > 1 ? `${change.text} (x${count})` : change.text,
  };
}

function roleOf(pod: StoredPod | undefined, name: string | undefined): string | undefined {
  const view = pod && containersOf(pod).find(({ container }) => container.name === name);
  return view && roleWord(view.role);
}

function isPowerOfTwo(count: number): boolean {
  return Number.isInteger(Math.log2(count));
}

/** The hooks that will run. During a deletion no postStart hook runs, and without a grace period no preStop hook. */
function awaitedHooks(pod: StoredPod | undefined, name: string | undefined): AwaitedHooks {
  const view = pod && containersOf(pod).find(({ container }) => container.name === name);
  const { postStart, preStop } = view?.container.lifecycle ?? {};
  return {
    postStart: postStart !== undefined && pod?.metadata.deletionTimestamp === undefined,
    preStop: preStop !== undefined && pod?.metadata.deletionGracePeriodSeconds !== 0,
  };
}

/** The line for any other event: warnings get one. */
function warningText(event: StoredEvent, message: string): ChangeText | undefined {
  if (event.type !== 'Warning' || !isAbsentFromStatus(event)) return undefined;
  return { text: event.reason ?? '', why: message, tone: 'bad' };
}

/** The reasons for stopping a container, by the messages of kubelet's `Killing` events. */
const KILLING: ReadonlyArray<readonly [pattern: RegExp, why: string | undefined]> = [
  [/^Stopping container /, undefined],
  [/failed liveness probe, will be restarted$/, 'its liveness probe failed, it will be restarted'],
  [/failed startup probe, will be restarted$/, 'its startup probe failed, it will be restarted'],
  [/failed liveness probe$/, 'its liveness probe failed'],
  [/failed startup probe$/, 'its startup probe failed'],
  [/definition changed, will be restarted$/, 'its definition changed, it will be restarted'],
  [/ resize requires restart$/, 'its resize requires a restart'],
  [/^FailedPostStartHook$/, undefined],
  [/^killing$/, 'all containers are restarted'],
  [/^A user restarts the container$/, 'it is restarted (r)'],
];

function killingText(message: string, { preStop }: AwaitedHooks): ChangeText {
  const known = KILLING.find(([pattern]) => pattern.test(message));
  const why = known === undefined ? message : known[1];
  const tone: Tone = why?.includes('failed') ? 'bad' : 'info';
  // When all containers are restarted together, no preStop hooks run.
  const hook = preStop && message !== RESTARTING_ALL ? 'waiting for its preStop hook' : undefined;
  return { text: 'stopping', why: [why, hook].filter(Boolean).join('; ') || undefined, tone };
}

/** The line for `Liveness probe failed: …`. Until the program is up, readiness and startup probes may fail. */
function probeText(message: string): ChangeText {
  const [, probe = '', verb = '', output = ''] = /^(\w+ probe) (\w+)[^:]*:?(.*)/s.exec(message) ?? [];
  if (probe === '') return { text: 'unhealthy', why: message, tone: 'bad' };
  const why = output.trim();
  return {
    text: `${probe.toLowerCase()} ${verb}`,
    why: why === '' ? undefined : why,
    tone: probe.startsWith('Liveness') ? 'bad' : 'muted',
  };
}

/**
 * True for events about fields without effect, which share one line of the live view. A NetworkPolicy without effect
 * opens Pods that shall be closed: it has a line with the reason.
 */
export function isAboutFieldWithoutEffect({ reason, involvedObject }: StoredEvent): boolean {
  return reason === FIELD_HAS_NO_EFFECT && involvedObject.kind !== 'NetworkPolicy';
}

/**
 * One line that lists all fields of a Pod without effect in short form. The events have the reasons.
 * @param events those about one Pod, at least one
 */
export function withoutEffectTransition(events: readonly StoredEvent[], atMs: number): Transition {
  return {
    atMs,
    pod: events[0]?.involvedObject.name ?? '',
    kind: 'event',
    text: withoutEffectText(events.map(({ message = '' }) => message)),
    why: undefined,
    tone: 'muted',
  };
}

/** The fields in the messages of such events, in short form. */
export function withoutEffectText(messages: readonly string[]): string {
  const fields = new Set(messages.flatMap((message) => pathsIn(message).map(shortField)));
  return `no effect: ${[...fields].join(', ')}`;
}

/** The paths in the message of such an event, see `fieldHasNoEffect`. */
function pathsIn(message: string): string[] {
  const paths = message.slice(0, message.indexOf(': ')).replace(/ and \d+ more$/, '');
  return paths.split(', ');
}

/** Drops the container from a path: `spec.containers[0].resources.limits[cpu]` becomes `resources.limits[cpu]`. */
function shortField(path: string): string {
  return path.replace(/^spec\.((initC|c|ephemeralC)ontainers\[\d+\]\.)?/, '').replaceAll(/\[\d+\]/g, '');
}
