import type { StoredEvent } from '../../api/objects.ts';
import { COMBINED, FIELD_HAS_NO_EFFECT } from '../../lifecycle/texts/events.ts';
import type { Tone } from '../painter.ts';
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

/** How the live view tells of events, in its own words. */
const TELL: Readonly<Record<string, (message: string) => Told | undefined>> = {
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

/**
 * The line that an event deserves in the live view, if any. An event that keeps coming is told the first, second,
 * fourth, eighth time and so on.
 * @param atMs when it was seen, milliseconds since 1970
 */
export function eventTransition(event: StoredEvent, atMs: number): Transition | undefined {
  const { reason = '', type, involvedObject } = event;
  const { message, container, isNews } = meant(event);
  const count = isNews ? 1 : (event.series?.count ?? event.count ?? 1);
  if (involvedObject.kind !== 'Pod' || !isPowerOfTwo(count) || (count > 1 && ONCE.has(reason))) return undefined;
  if (!isNewsOfItsOwn(event)) return undefined;
  const tell = Object.hasOwn(TELL, reason) ? TELL[reason] : undefined;
  const told = tell ? tell(message) : tellOther(type, reason, message);
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

/** Warnings that nobody has thought of may matter; other news do not. */
function tellOther(type: string | undefined, reason: string, message: string): Told | undefined {
  return type === 'Warning' ? { text: reason, why: message, tone: 'bad' } : undefined;
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

function tellKilling(message: string): Told {
  const known = KILLING.find(([pattern]) => pattern.test(message));
  const why = known === undefined ? message : known[1];
  const tone: Tone = why?.includes('failed') ? 'bad' : 'info';
  return { text: 'stopping', why, tone };
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
