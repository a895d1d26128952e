import { isOver, noTransitions, type RecordedRun, type RecordedTransition } from './recorded-run.ts';
import {
  allContainerStatuses,
  formatGoDuration,
  formatTime,
  parseTime,
  PodrunError,
  type StoredEvent,
  type StoredPod,
} from '../../api/index.ts';
import type { Moment } from './moment.ts';

/** The state of a run at a moment. */
export interface RunState {
  /** The moment, milliseconds since 1970. */
  readonly atMs: number;
  readonly pod: StoredPod;
  /** The Events that existed, in their form at that moment. */
  readonly events: readonly StoredEvent[];
}

/** A run and its name in messages. */
export interface NamedRun {
  readonly run: string;
  readonly recorded: RecordedRun;
}

/** A state of the Pod and its beginning. */
interface DatedPod {
  readonly at: number;
  readonly pod: StoredPod;
}

/**
 * The state of a run at a moment.
 * @param nowMs the end of a run that has not ended
 * @throws {PodrunError} when the moment is outside of the run, or never came
 */
export function stateAt(named: NamedRun, moment: Moment, nowMs: number): RunState {
  const states = podStates(named.recorded);
  const [first] = states;
  const last = states.at(-1);
  if (first === undefined || last === undefined) {
    throw noTransitions(named.run);
  }
  const span = spanOf(named.recorded, { first, last }, nowMs);
  const atMs = momentMs({ ...named, states, span }, moment);
  const { pod } = states.findLast(({ at }) => at <= atMs) ?? first;
  return { atMs, pod, events: eventsAt(named.recorded.transitions, atMs) };
}

/**
 * The recorded state of a run at a time, in milliseconds since 1970. Undefined: the run did not exist yet, or was
 * already deleted or replaced.
 */
export function onRecordAt({ transitions }: RecordedRun, atMs: number): RunState | undefined {
  const before = transitions.filter(({ at }) => at <= atMs);
  const last = before.findLast(({ object }) => object.kind === 'Pod');
  if (last?.object.kind !== 'Pod' || last.type === 'DELETED') return undefined;
  return { atMs, pod: last.object, events: eventsAt(before, atMs) };
}

/** The span of a run, milliseconds since 1970. */
interface Span {
  readonly beginMs: number;
  readonly endMs: number;
  /** True when the run has ended. */
  readonly isOver: boolean;
}

/** A run with its states and span. */
interface RunWithSpan extends NamedRun {
  readonly states: readonly DatedPod[];
  readonly span: Span;
}

function momentMs(named: RunWithSpan, moment: Moment): number {
  const { span } = named;
  switch (moment.how) {
    case 'offset':
      return within(named, span.beginMs + moment.ms, formatOffset(moment.ms));
    case 'time':
      return within(named, moment.ms, formatTime(moment.ms));
    case 'restart':
      return restartMs(named, moment);
    case 'phase':
      return phaseMs(named, moment.phase);
    case 'condition':
      return conditionMs(named, moment);
    case 'end':
      return span.endMs;
    default:
      return moment satisfies never;
  }
}

/** The tolerance for copied offsets, which are rounded to thousandths. */
const ROUNDED_MS = 1;

function within({ run, span }: RunWithSpan, atMs: number, momentText: string): number {
  const { beginMs, endMs, isOver } = span;
  const lasted = formatOffset(endMs - beginMs);
  const hint = `The record reaches from 0s (${formatTime(beginMs)}) to ${lasted} (${formatTime(endMs)}).`;
  if (atMs < beginMs) {
    throw new PodrunError('NotFound', `${momentText} is before the beginning of the run ${run}`, { hint });
  }
  if (atMs <= endMs + ROUNDED_MS) return atMs;
  const message = isOver
    ? `the run ${run} ended after ${lasted}: ${momentText} is later`
    : `the run ${run} has lasted ${lasted} so far: ${momentText} has not come yet`;
  throw new PodrunError('NotFound', message, { hint });
}

function restartMs(named: RunWithSpan, moment: Moment & { how: 'restart' }): number {
  const { container, count } = moment;
  const turned = named.states.find(({ pod }) =>
    allContainerStatuses(pod.status).some(
      ({ name, restartCount }) => name === (container ?? name) && restartCount >= count,
    ),
  );
  if (turned !== undefined) return turned.at;
  const statuses = allContainerStatuses(named.states.at(-1)?.pod.status ?? {});
  const counts = statuses.map(({ name, restartCount }) => `${name} ${restartCount}`).join(', ');
  const who = container === undefined ? 'no container' : `container ${container} never`;
  throw neverCame(
    `in the run ${named.run} ${who} had the restart count ${count}`,
    counts === '' ? 'No container has a status.' : `The restart counts came to: ${counts}.`,
  );
}

function phaseMs(named: RunWithSpan, phase: string): number {
  const turned = named.states.find(({ pod }) => pod.status.phase === phase);
  if (turned !== undefined) return turned.at;
  const phases = changesOf(named, ({ status }) => [status.phase ?? 'Pending']);
  throw neverCame(`the phase of the run ${named.run} was never ${phase}`, `It was ${phases}.`);
}

function conditionMs(named: RunWithSpan, { type, status }: Moment & { how: 'condition' }): number {
  const turned = named.states.find(({ pod }) =>
    pod.status.conditions?.some((condition) => condition.type === type && condition.status === status),
  );
  if (turned !== undefined) return turned.at;
  const seen = changesOf(named, ({ status: { conditions = [] } }) =>
    conditions.map((condition) => `${condition.type}=${condition.status}`),
  );
  throw neverCame(
    `in the run ${named.run} the condition ${type} was never ${status}`,
    seen === '' ? 'There were no conditions.' : `There were ${seen}.`,
  );
}

/** Each distinct text of the states with its first time: `Pending (0.000s), Running (0.067s)`. */
function changesOf({ states, span }: RunWithSpan, textsOf: (pod: StoredPod) => readonly string[]): string {
  const first = new Map<string, number>();
  for (const { at, pod } of states) {
    for (const text of textsOf(pod)) if (!first.has(text)) first.set(text, at);
  }
  return [...first].map(([text, at]) => `${text} (${formatOffset(at - span.beginMs)})`).join(', ');
}

function neverCame(message: string, hint: string): PodrunError {
  return new PodrunError('NotFound', message, { hint });
}

/** The states of the Pod, in order. Its deletion is not a state. */
function podStates({ transitions }: RecordedRun): DatedPod[] {
  return transitions.flatMap(({ at, type, object }) =>
    object.kind === 'Pod' && type !== 'DELETED' ? [{ at, pod: object }] : [],
  );
}

function spanOf(run: RecordedRun, { first, last }: Record<'first' | 'last', DatedPod>, nowMs: number): Span {
  const beginMs = Math.min(parseTime(first.pod.metadata.creationTimestamp), first.at);
  // A Pod may be removed or replaced long after its end.
  const latest = run.transitions.findLast(({ type, object }) => type !== 'DELETED' || object.kind !== 'Pod');
  const endMs = Math.max(last.at, latest?.at ?? 0);
  return { beginMs, endMs: isOver(run) ? endMs : Math.max(endMs, nowMs), isOver: isOver(run) };
}

/** The latest version of each Event up to a time. */
function eventsAt(transitions: readonly RecordedTransition[], atMs: number): StoredEvent[] {
  const events = new Map<string, StoredEvent>();
  for (const { at, type, object } of transitions) {
    if (at > atMs) break;
    if (object.kind !== 'Event') continue;
    if (type === 'DELETED') events.delete(object.metadata.name);
    else events.set(object.metadata.name, object);
  }
  return [...events.values()];
}

/** `3.204s`. From a quarter of an hour on `16m40s`. */
function formatOffset(ms: number): string {
  return Math.abs(ms) < 900_000 ? `${(ms / 1000).toFixed(3)}s` : formatGoDuration(Math.trunc(ms / 1000) * 1000);
}
