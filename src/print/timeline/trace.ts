import type { ContainerStory, Stretch, Timeline } from '../../history/index.ts';
import { describeExitCode } from '../base/exit-code.ts';
import { stepText } from './step-text.ts';

/** A run with its name. */
export interface NamedTimeline {
  readonly run: string;
  /** The workload that made the Pod: `deployment/web`. Undefined: none. */
  readonly workload?: string | undefined;
  /** The node of the Pod, where there are several. */
  readonly node?: string | undefined;
  readonly timeline: Timeline;
}

/**
 * An event of the Trace Event Format, which Perfetto and Chrome read. Times are in microseconds.
 * @see https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
 */
interface TraceEvent {
  readonly name: string;
  /** M: a name. X: a period. i: a point in time. */
  readonly ph: 'M' | 'X' | 'i';
  readonly pid: number;
  readonly tid: number;
  readonly ts?: number;
  readonly dur?: number;
  readonly cat?: string;
  /** The scope of a point in time: its thread. */
  readonly s?: 't';
  readonly args?: Readonly<Record<string, unknown>>;
}

/** Makes a process for each Pod, with a thread for the Pod, one for its critical path, and two for each container. */
export function renderTrace(runs: readonly NamedTimeline[]): string {
  const originMs = Math.min(...runs.map(({ timeline }) => timeline.createdAtMs));
  const traceEvents = runs.flatMap((named, index) => {
    const { timeline } = named;
    return podEvents(named, { pid: index + 1, offsetMs: timeline.createdAtMs - originMs });
  });
  return `${JSON.stringify({ traceEvents, displayTimeUnit: 'ms' })}\n`;
}

interface TraceOrigin {
  readonly pid: number;
  readonly offsetMs: number;
}

const POD_THREAD = 1;
const PATH_THREAD = 2;
const FIRST_CONTAINER_THREAD = 10;
/** Threads per container: handlers get the second one, since periods of one thread must be nested. */
const THREADS_PER_CONTAINER = 2;

function podEvents({ run, workload, timeline }: NamedTimeline, origin: TraceOrigin): TraceEvent[] {
  const { phases, conditions, criticalPath, containers, events } = timeline;
  const threadOf = (container: string | undefined): number => {
    const index = containers.findIndex(({ name }) => name === container);
    return index < 0 ? POD_THREAD : FIRST_CONTAINER_THREAD + index * THREADS_PER_CONTAINER;
  };
  const { pid } = origin;
  return [
    {
      name: 'process_name',
      ph: 'M',
      pid,
      tid: 0,
      args: { name: `Pod ${run}${workload === undefined ? '' : ` of ${workload}`}` },
    },
    { name: 'process_sort_index', ph: 'M', pid, tid: 0, args: { sort_index: pid } },
    ...threadName(pid, POD_THREAD, 'Pod'),
    ...threadName(pid, PATH_THREAD, 'way to Ready'),
    ...phases.map((span) =>
      periodEvent(origin, POD_THREAD, span, { name: span.phase, cat: 'phase', args: whyOf(span) }),
    ),
    ...criticalPath.steps.map((step) => {
      const args = { share: Math.round(step.share * 10_000) / 10_000, field: step.field };
      return periodEvent(origin, PATH_THREAD, step, { name: stepText(step), cat: 'criticalPath', args });
    }),
    ...conditions.map((span) => {
      const name = `${span.type}=${span.status}`;
      return momentEvent(origin, POD_THREAD, span.fromMs, { name, cat: 'condition', args: whyOf(span) });
    }),
    ...events.map(({ atMs, reason, type, message, count, container }) => {
      return momentEvent(origin, threadOf(container), atMs, {
        name: reason,
        cat: 'event',
        args: { type, message, count },
      });
    }),
    ...containers.flatMap((container) => containerEvents(container, threadOf(container.name), origin)),
  ];
}

function containerEvents(container: ContainerStory, tid: number, origin: TraceOrigin): TraceEvent[] {
  const { name, waits, attempts, stops, hooks, probes } = container;
  return [
    ...threadName(origin.pid, tid, name),
    ...(hooks.length + probes.length === 0 ? [] : threadName(origin.pid, tid + 1, `${name}: hooks and probes`)),
    ...waits.map((wait) => {
      return periodEvent(origin, tid, wait, { name: wait.reason ?? 'not begun', cat: 'waiting', args: whyOf(wait) });
    }),
    ...attempts.map((span) => {
      const { attempt, exit, ready } = span;
      const end = exit === undefined ? undefined : describeExitCode(exit.exitCode);
      const readyAfterMs = ready[0] === undefined ? undefined : ready[0].fromMs - span.fromMs;
      const args = { end, readyAfterMs, ...whyOf(exit ?? {}) };
      return periodEvent(origin, tid, span, { name: `attempt ${attempt + 1}`, cat: 'attempt', args });
    }),
    ...stops.map((span) => {
      const args = { why: span.why, graceSeconds: span.graceSeconds };
      return periodEvent(origin, tid, span, { name: 'stopping', cat: 'stopping', args });
    }),
    ...hooks.map((span) => {
      const args = { handler: span.handler, result: span.result, message: span.message };
      return periodEvent(origin, tid + 1, span, { name: span.hook, cat: 'hook', args });
    }),
    ...probes.map(({ probe, fromMs, toMs, result, decision, count, threshold, output }) => {
      const args = { result, decision, count, threshold, output, tookMs: rounded(toMs - fromMs) };
      return momentEvent(origin, tid + 1, fromMs, { name: `${probe}: ${result}`, cat: 'probe', args });
    }),
  ];
}

type EventText = Pick<TraceEvent, 'name' | 'cat' | 'args'>;

function periodEvent(
  { pid, offsetMs }: TraceOrigin,
  tid: number,
  { fromMs, toMs }: Stretch,
  text: EventText,
): TraceEvent {
  return { ...text, ph: 'X', ts: micros(offsetMs + fromMs), dur: micros(toMs - fromMs), pid, tid };
}

function momentEvent({ pid, offsetMs }: TraceOrigin, tid: number, atMs: number, text: EventText): TraceEvent {
  return { ...text, ph: 'i', s: 't', ts: micros(offsetMs + atMs), pid, tid };
}

function threadName(pid: number, tid: number, name: string): TraceEvent[] {
  return [
    { name: 'thread_name', ph: 'M', pid, tid, args: { name } },
    { name: 'thread_sort_index', ph: 'M', pid, tid, args: { sort_index: tid } },
  ];
}

function whyOf({
  reason,
  message,
}: {
  reason?: string | undefined;
  message?: string | undefined;
}): TraceEvent['args'] & {} {
  return { reason, message };
}

function micros(ms: number): number {
  return Math.round(ms * 1000);
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
