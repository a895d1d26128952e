import type { StoredEvent, StoredPod } from '../../api/objects.ts';
import { COMBINED, FIELD_HAS_NO_EFFECT } from '../../lifecycle/texts/events.ts';
import { RESTARTING_ALL } from '../../lifecycle/texts/killing.ts';
import type { Tone } from '../painter.ts';
import { containersOf } from './container-view.ts';
import type { Change, Transition } from './transition.ts';

type Told = Pick<Change, 'text' | 'why' | 'tone'>;

/**
 * Events that say nothing beyond what the Pod's status says: starts, failed starts (`Failed`), back-off, what the
 * scheduler thinks; and those of which the live view shows one line for all (see idle-fields-transition.ts).
 */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set([
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

/** Does an event tell something that no status tells? */
export function isNewsOfItsOwn({ reason = '' }: StoredEvent): boolean {
  return !SAID_ELSEWHERE.has(reason);
}

/** The hooks that a container waits for, as of the moment of the event. */
interface AwaitedHooks {
  readonly postStart: boolean;
  readonly preStop: boolean;
}

/** How the live view tells of events, in its own words. */
const TELL: Readonly<Record<string, (message: string, hooks: AwaitedHooks) => Told | undefined>> = {
  // The status shows a container as running when its postStart hook has returned.
  Started: (_, { postStart }) =>
    postStart ? { text: 'started', why: 'waiting for its postStart hook', tone: 'info' } : undefined,
  Pulling: (message) => ({ text: message.replace(/^P/, 'p'), tone: 'muted' }),
  Killing: tellKilling,
  Unhealthy: tellProbe,
  ProbeWarning: tellProbe,
  FailedPostStartHook: () => ({ text: 'postStart hook failed', tone: 'bad' }),
  FailedPreStopHook: () => ({ text: 'preStop hook failed', tone: 'bad' }),
  DeadlineExceeded: () => ({ text: 'deadline exceeded', tone: 'bad' }),
  SandboxChanged: (message) => ({ text: 'sandbox changed', why: message, tone: 'info' }),
};

/** Events that kubelet repeats on every sync, although they are over after the first. */
const ONCE: ReadonlySet<string> = new Set(['DeadlineExceeded']);

/** Events that change the state of a container each time: all of them are told. */
const EACH_TIME: ReadonlySet<string> = new Set(['Started', 'Killing', 'FailedPostStartHook', 'FailedPreStopHook']);

/**
 * The line that an event deserves in the live view, if any. An event that keeps coming and changes nothing is told the
 * first, second, fourth, eighth time and so on.
 * @param atMs when it was seen, milliseconds since 1970
 * @param pod the Pod that it is about, as it was seen last; undefined: not known
 */
export function eventTransition(event: StoredEvent, atMs: number, pod?: StoredPod): Transition | undefined {
  const { reason = '', involvedObject } = event;
  const { message, container, isNews } = meant(event);
  const count = isNews || EACH_TIME.has(reason) ? 1 : (event.series?.count ?? event.count ?? 1);
  if (involvedObject.kind !== 'Pod' || !isPowerOfTwo(count) || (count > 1 && ONCE.has(reason))) return undefined;
  const tell = Object.hasOwn(TELL, reason) ? TELL[reason] : undefined;
  const told = tell ? tell(message, awaitedHooks(pod, container)) : tellOther(event, message);
  if (told === undefined) return undefined;
  return {
    atMs,
    pod: involvedObject.name ?? '',
    container,
    kind: 'event',
    ...told,
    text: count > 1 ? `${told.text} (x${count})` : told.text,
  };
}

/**
 * What an event says, and of which container. One that many were combined into points at the container of the first
 * of them, and its message is that of the latest: only where that names its container is it clear which one is meant.
 */
function meant({ message = '', involvedObject }: StoredEvent): {
  readonly message: string;
  readonly container: string | undefined;
  /** Is it something else each time that it comes? */
  readonly isNews: boolean;
} {
  const latest = message.startsWith(COMBINED) ? message.slice(COMBINED.length) : undefined;
  if (latest === undefined) {
    const container = /^spec\.\w+\{(.+)\}$/.exec(involvedObject.fieldPath ?? '')?.[1];
    return { message: message.trim(), container, isNews: false };
  }
  const container = NAMED_CONTAINER.exec(latest)?.[1];
  return { message: latest.trim(), container, isNews: container !== undefined };
}

/** The container that a `Killing` event names. */
const NAMED_CONTAINER = /^(?:Stopping container|Container|Init container) (\S+)/;

function isPowerOfTwo(count: number): boolean {
  return Number.isInteger(Math.log2(count));
}

/** A Pod that is being deleted runs no postStart hook, and without a grace period no preStop hook. */
function awaitedHooks(pod: StoredPod | undefined, name: string | undefined): AwaitedHooks {
  const view = pod && containersOf(pod).find(({ container }) => container.name === name);
  const { postStart, preStop } = view?.container.lifecycle ?? {};
  return {
    postStart: postStart !== undefined && pod?.metadata.deletionTimestamp === undefined,
    preStop: preStop !== undefined && pod?.metadata.deletionGracePeriodSeconds !== 0,
  };
}

/** Warnings that nobody has thought of may matter; other news do not. */
function tellOther(event: StoredEvent, message: string): Told | undefined {
  if (event.type !== 'Warning' || !isNewsOfItsOwn(event)) return undefined;
  return { text: event.reason ?? '', why: message, tone: 'bad' };
}

/** Why a container is stopped, from the texts of kubelet's `Killing` events. */
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
];

function tellKilling(message: string, { preStop }: AwaitedHooks): Told {
  const known = KILLING.find(([pattern]) => pattern.test(message));
  const why = known === undefined ? message : known[1];
  const tone: Tone = why?.includes('failed') ? 'bad' : 'info';
  // Containers that are all restarted together are killed without their preStop hooks.
  const hook = preStop && message !== RESTARTING_ALL ? 'waiting for its preStop hook' : undefined;
  return { text: 'stopping', why: [why, hook].filter(Boolean).join('; ') || undefined, tone };
}

/** `Liveness probe failed: …`. A readiness or startup probe fails as a matter of course until the program is up. */
function tellProbe(message: string): Told {
  const [, probe = '', verb = '', output = ''] = /^(\w+ probe) (\w+)[^:]*:?(.*)$/s.exec(message) ?? [];
  if (probe === '') return { text: 'unhealthy', why: message, tone: 'bad' };
  const why = output.trim();
  return {
    text: `${probe.toLowerCase()} ${verb}`,
    why: why === '' ? undefined : why,
    tone: probe.startsWith('Liveness') ? 'bad' : 'muted',
  };
}
