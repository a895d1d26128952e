import { parseTime, type StoredEvent } from '../../api/index.ts';
import { FAULT_INJECTED, FAULT_OVER } from '../../lifecycle/index.ts';
import type { RunStory, Stretch } from '../story/model.ts';

/** The lane of a node: what was on it, and when it was away. Milliseconds since `originMs`. */
export interface NodeLane {
  readonly name: string;
  /** The numbers of Pods on it, from the beginning of the axis to its end. */
  readonly counts: ReadonlyArray<Stretch & { readonly pods: number }>;
  /** The times in which it was crashed, silent, shut down or NotReady, each with its first word about that. */
  readonly away: ReadonlyArray<Stretch & { readonly how: string }>;
}

interface LaneSources {
  readonly timelines: readonly RunStory[];
  /** The names of the nodes that there are. */
  readonly nodes: readonly string[];
  /** The events of Nodes. */
  readonly events: readonly StoredEvent[];
  /** The beginning of the axis, milliseconds since 1970. */
  readonly originMs: number;
}

/** The lanes of all nodes that there are, and that Pods were on. None for one node. */
export function nodeLanes({ timelines, nodes, events, originMs }: LaneSources): NodeLane[] {
  const used = timelines.flatMap(({ pod }) => pod.spec.nodeName ?? []);
  const names = [...new Set([...nodes, ...used])].toSorted(byNumber);
  if (names.length < 2) return [];
  const endMs = Math.max(...timelines.map((timeline) => timeline.createdAtMs - originMs + timeline.endMs));
  return names.map((name) => ({
    name,
    counts: countsOf(
      timelines.filter(({ pod }) => pod.spec.nodeName === name),
      originMs,
      endMs,
    ),
    away: awayTimes(
      events.filter(({ involvedObject: { kind, name: of } }) => kind === 'Node' && of === name),
      originMs,
      endMs,
    ),
  }));
}

/** node-2 stands before node-10. */
function byNumber(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}

function countsOf(timelines: readonly RunStory[], originMs: number, endMs: number): NodeLane['counts'] {
  const changes = timelines.flatMap((timeline) => {
    const offset = timeline.createdAtMs - originMs;
    const bound = timeline.conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'True');
    const end = timeline.phases.find(({ phase }) => phase === 'Succeeded' || phase === 'Failed');
    return [
      { atMs: offset + (bound?.fromMs ?? 0), by: 1 },
      { atMs: offset + (end?.fromMs ?? timeline.endMs), by: -1 },
    ];
  });
  const counts: Array<NodeLane['counts'][number]> = [];
  let pods = 0;
  let fromMs = 0;
  for (const { atMs, by } of changes.toSorted((a, b) => a.atMs - b.atMs)) {
    if (atMs > fromMs) counts.push({ fromMs, toMs: atMs, pods });
    fromMs = Math.max(fromMs, atMs);
    pods += by;
  }
  return endMs > fromMs ? [...counts, { fromMs, toMs: endMs, pods }] : counts;
}

const GOES: ReadonlySet<string> = new Set([FAULT_INJECTED, 'NodeNotReady']);
const RETURNS: ReadonlySet<string> = new Set([FAULT_OVER, 'NodeReady', 'Rebooted']);

/** Events of the same text are one, with their first and their last time. */
function awayTimes(events: readonly StoredEvent[], originMs: number, endMs: number): NodeLane['away'] {
  const moments = events
    .flatMap((event) => [...new Set(timesOf(event))].map((atMs) => ({ atMs: atMs - originMs, event })))
    .filter(({ atMs }) => atMs >= 0 && atMs <= endMs)
    .toSorted((a, b) => a.atMs - b.atMs);
  const away: Array<NodeLane['away'][number]> = [];
  let since: { readonly atMs: number; readonly how: string } | undefined;
  for (const { atMs, event } of moments) {
    const { reason = '', message = '' } = event;
    if (GOES.has(reason)) since ??= { atMs, how: wordOf(reason, message) };
    else if (RETURNS.has(reason) && since !== undefined) {
      away.push({ fromMs: since.atMs, toMs: atMs, how: since.how });
      since = undefined;
    }
  }
  return since === undefined ? away : [...away, { fromMs: since.atMs, toMs: endMs, how: since.how }];
}

function timesOf({ firstTimestamp, lastTimestamp, eventTime }: StoredEvent): number[] {
  return [firstTimestamp ?? eventTime, lastTimestamp].flatMap((time) => (time ? [parseTime(time)] : []));
}

/** `crashed` of `node node-2 is crashed (--inject …)`. */
function wordOf(reason: string, message: string): string {
  return reason === FAULT_INJECTED ? (/ is (\w+)/.exec(message)?.[1] ?? reason) : 'NotReady';
}
