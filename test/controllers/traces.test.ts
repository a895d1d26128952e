import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../src/api/base/objects.ts';
import { historiesOf, passesThrough, withoutGenerated } from './histories.ts';
import { type Line, readTrace, type Replay, replay, traceNames } from './replay.ts';
import type { WorldObject } from './world.ts';

// The agent's loop and its controllers do in the same world what a real cluster did. Each field of each object passes
// through the values that it had there, in order, and ends with the same one; the events are the same, as many times.
// Ours has more values in between: it reacts to each change of a Pod, where a cluster's controller joins those of a
// second.

/** Kinds that a controller makes or writes. */
const KINDS = new Set([
  'ControllerRevision',
  'CronJob',
  'DaemonSet',
  'Deployment',
  'Job',
  'PersistentVolumeClaim',
  'Pod',
  'ReplicaSet',
  'ReplicationController',
  'StatefulSet',
]);

/** Fields whose history differs, with the reason. */
const DIFFERENCES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'cronjob-keeps-no-history': {
    ready: 'the Job was gone there before its controller looked at its Pod again',
    events: 'SawCompletedJob is not in the stream, though the Job left status.active',
  },
  'job-parallel-completions': { uncountedTerminatedPods: 'Pods that end within a second are counted together there' },
  'job-suspended-while-running': {
    uncountedTerminatedPods: 'Pods that end within a second are counted together there',
  },
  'job-replacement-policy-failed': { finalizers: 'the Pod goes with its last finalizer there: it was deleted already' },
  'sts-start-ordinal': {
    currentReplicas: 'its Pods are deleted at one moment here',
    updatedReplicas: 'its Pods are deleted at one moment here',
    owners: 'a StatefulSet that is being deleted gets another ControllerRevision there, which goes with it',
    objects: 'see owners',
  },
  'deploy-rolling-update': { replicas: 'a sum of what two ReplicaSets said at different times: it never was true' },
};

/**
 * Traces whose lines come later here, in seconds. A cluster's deadline counts from a start in whole seconds: it comes
 * up to a second early.
 */
const LATER: Readonly<Record<string, number>> = { 'job-deadline': 1 };

const ours = /^(job|cronjob|rs|deploy|gc|sts|ds)-/;

describe('controllers do what a cluster did', () => {
  it.each(traceNames().filter((name) => ours.test(name)))('%s', async (name) => {
    const lines = readTrace(name).map((line) => ({ ...line, t: line.t + (line.t > 1 ? (LATER[name] ?? 0) : 0) }));
    const replayed = await replay(lines);
    const exempt = Object.keys(DIFFERENCES[name] ?? {});
    const different = differentHistories(lines, replayed);
    expect(different.filter(({ field }) => !exempt.includes(field))).toEqual([]);
    const differing = new Set(['events', 'objects', ...different.map(({ field }) => field)]);
    expect(exempt.filter((field) => !differing.has(field))).toEqual([]);
    const events = ourEvents(replayed);
    const hasSameEvents = DIFFERENCES[name]?.['events'] === undefined;
    const recorded = recordedEvents(lines);
    const shared = Object.fromEntries(Object.keys(recorded).map((key) => [key, events[key]]));
    expect(hasSameEvents ? events : shared).toEqual(recorded);
    if (DIFFERENCES[name]?.['objects'] !== undefined) return;
    const made = replayed.world.writes.filter(({ type }) => type === 'ADDED').map(({ object }) => object);
    expect(countByKind(made)).toEqual(countByKind(replayed.recorded()));
    expect(countByKind(replayed.world.list())).toEqual(countByKind(leftIn(lines)));
  });
});

/** The objects that are there in the end. */
function leftIn(lines: readonly Line[]): WorldObject[] {
  const last = new Map(lines.flatMap(({ type, object }) => (object ? [[object.metadata.uid, { type, object }]] : [])));
  return [...last.values()].flatMap(({ type, object }) => (type === 'DELETED' ? [] : [object]));
}

interface Difference {
  readonly object: string;
  readonly field: string;
  readonly recorded: readonly string[];
  readonly ours: readonly string[];
}

function differentHistories(lines: readonly Line[], replayed: Replay): Difference[] {
  return replayed
    .recorded()
    .filter(({ kind }) => KINDS.has(kind))
    .flatMap(({ kind, metadata: { name, uid } }) => {
      const recorded = historiesOf(lines.flatMap(({ object }) => (object?.metadata.uid === uid ? [object] : [])));
      const mine = replayed.ours(uid)?.metadata.uid;
      const writes = replayed.world.writes.filter(({ object }) => object.metadata.uid === mine);
      const own = historiesOf(writes.map(({ object }) => object));
      const fields = [...new Set([...Object.keys(recorded), ...Object.keys(own)])];
      return fields
        .filter((field) => !passesThrough(own[field] ?? [], recorded[field] ?? []))
        .map((field) => ({
          object: `${kind}/${name}`,
          field,
          recorded: recorded[field] ?? [],
          ours: own[field] ?? [],
        }));
    });
}

/** The number of times that each event of a controller was reported. */
type EventCounts = Readonly<Record<string, number>>;

function recordedEvents(lines: readonly Line[]): EventCounts {
  const events = lines.flatMap(({ object }) => (object?.kind === 'Event' ? [object as unknown as StoredEvent] : []));
  return countsOf([...new Map(events.map((event) => [event.metadata.uid, event])).values()]);
}

function ourEvents({ world }: Replay): EventCounts {
  return countsOf([...world.events.values()]);
}

/** @param events each in its last state */
function countsOf(events: readonly StoredEvent[]): EventCounts {
  return sums(
    events
      .filter(({ reportingComponent }) => reportingComponent?.endsWith('-controller'))
      .map(({ reportingComponent, involvedObject, type, reason, message = '', count = 1 }) => ({
        key: [reportingComponent, involvedObject.kind, type, reason, withoutGenerated(message)].join(' '),
        count,
      })),
  );
}

function sums(entries: readonly { readonly key: string; readonly count: number }[]): EventCounts {
  const totals: Record<string, number> = {};
  for (const { key, count } of entries) totals[key] = (totals[key] ?? 0) + count;
  return totals;
}

function countByKind(objects: readonly WorldObject[]): EventCounts {
  return sums(objects.filter(({ kind }) => KINDS.has(kind)).map(({ kind }) => ({ key: kind, count: 1 })));
}
