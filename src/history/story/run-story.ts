import { allContainers, allContainerStatuses, ownValue, type StoredEvent, type StoredPod } from '../../api/index.ts';
import { COMBINED, DISRUPTION_TARGET } from '../../lifecycle/index.ts';
import { isOver, type RecordedRun, type RecordedTransition } from '../base/recorded-run.ts';
import { type Axis, axisOf } from './axis.ts';
import { ContainerWriter } from './container-story.ts';
import { EVICTED_BY, type EventMark, type Happening, type RunExit, type RunStory } from './model.ts';
import { conditionSpans, endingSpan, phaseSpans } from './pod-spans.ts';

/**
 * Computes the story of a run.
 * @param nowMs the end of the story of a Pod that still runs, milliseconds since 1970
 * @returns undefined when the Pod has no recorded state
 */
export function storyOf(run: RecordedRun, nowMs?: number): RunStory | undefined {
  const axis = axisOf(run, nowMs);
  if (axis === undefined) return undefined;
  const { createdAtMs, endMs, pod, states } = axis;
  const { namespace, name, uid } = run;
  const writers = new Map(
    allContainers(pod.spec).map((container) => [container.name, new ContainerWriter(axis, container.name)]),
  );
  const happenings = new PodWriter(axis, writers).happenings();
  const ending = endingSpan(axis);
  const events = eventMarks(happenings);
  return {
    namespace,
    name,
    uid,
    createdAtMs,
    endMs,
    isOver: isOver(run),
    pod,
    states,
    happenings,
    phases: phaseSpans(axis),
    conditions: conditionSpans(axis),
    ...(ending === undefined ? {} : { ending }),
    containers: [...writers.values()].map((writer) => writer.story(events)),
    events,
  };
}

/** A happening before its place in the record is added. */
type Unplaced<T> = T extends unknown ? Omit<T, 'atMs' | 'transition'> : never;
type PlaceHappening = Unplaced<Extract<Happening, { readonly what: 'scheduled' | 'nominated' | 'evicted' }>>;

/** Finds out what happened from one recorded state to the next. */
class PodWriter {
  readonly #axis: Axis;
  readonly #containers: ReadonlyMap<string, ContainerWriter>;
  readonly #conditions = new Map<string, string>();
  #phase: string | undefined;
  readonly #places = new Map<'scheduled' | 'nominated' | 'evicted', string>();

  constructor(axis: Axis, containers: ReadonlyMap<string, ContainerWriter>) {
    this.#axis = axis;
    this.#containers = containers;
  }

  happenings(): Happening[] {
    const { run, createdAtMs } = this.#axis;
    return run.transitions.flatMap((transition, index) => {
      const atMs = Math.max(0, transition.at - createdAtMs);
      return this.#transition(transition, atMs).map((happening): Happening => {
        return { ...happening, atMs: happening.what === 'created' ? 0 : atMs, transition: index };
      });
    });
  }

  #transition({ type, object }: RecordedTransition, atMs: number): Array<Unplaced<Happening>> {
    if (object.kind === 'Event') return type === 'DELETED' ? [] : [{ what: 'event', event: object }];
    return type === 'DELETED' ? [{ what: 'deleted' }] : this.#state(object, atMs);
  }

  #place(node: string | undefined, { nominatedNodeName, conditions = [] }: StoredPod['status']): PlaceHappening[] {
    const target = conditions.find(({ type, status }) => type === DISRUPTION_TARGET && status === 'True');
    const present = {
      nominated: nominatedNodeName,
      scheduled: node,
      evicted: ownValue(EVICTED_BY, target?.reason ?? ''),
    };
    return (['nominated', 'scheduled', 'evicted'] as const).flatMap((what) => {
      const subject = present[what];
      if (subject === undefined || this.#places.get(what) === subject) return [];
      this.#places.set(what, subject);
      return [{ what, subject }];
    });
  }

  #state({ spec, status }: StoredPod, atMs: number): Array<Unplaced<Happening>> {
    const { phase = 'Pending', conditions = [] } = status;
    const before = this.#phase;
    this.#phase = phase;
    return [
      ...(before === undefined ? [{ what: 'created' } as const] : []),
      ...this.#place(spec.nodeName, status),
      ...allContainerStatuses(status).flatMap((own) => {
        const happenings = this.#containers.get(own.name)?.add(own, atMs) ?? [];
        return happenings.map((happening) => ({ ...happening, container: own.name }));
      }),
      ...conditions.flatMap(({ type, status: value, reason }) => {
        if (this.#conditions.get(type) === value) return [];
        this.#conditions.set(type, value);
        return [{ what: 'condition', type, status: value, reason } as const];
      }),
      ...(before === phase ? [] : [{ what: 'phase', phase } as const]),
    ];
  }
}

/** The events, once for each record. */
function eventMarks(happenings: readonly Happening[]): EventMark[] {
  return happenings.flatMap((happening): EventMark[] => {
    if (happening.what !== 'event') return [];
    const { event, atMs } = happening;
    const container = containerOfEvent(event);
    return [
      {
        atMs,
        type: event.type ?? 'Normal',
        reason: event.reason ?? '',
        message: event.message ?? '',
        count: countOf(event),
        ...(container === undefined ? {} : { container }),
      },
    ];
  });
}

function countOf({ series, count }: StoredEvent): number {
  return series?.count ?? count ?? 1;
}

/** The reasons of Events with their counts. */
export function eventCounts({ happenings }: RunStory): Map<string, number> {
  /** The latest version of each Event: a higher count is a new version. */
  const latest = new Map(
    happenings.flatMap((one) => (one.what === 'event' ? [[one.event.metadata.name, one.event] as const] : [])),
  );
  const counts = new Map<string, number>();
  for (const event of latest.values()) {
    const { reason = '' } = event;
    counts.set(reason, (counts.get(reason) ?? 0) + countOf(event));
  }
  return counts;
}

/** The time from the creation of the Pod to its last change, in milliseconds. */
export function lengthOf({ happenings }: RunStory): number {
  return happenings.findLast(({ what }) => what !== 'event' && what !== 'deleted')?.atMs ?? 0;
}

/** The number of runs of a container. */
export function runCountOf({ happenings }: RunStory, container: string): number {
  const runs = happenings.flatMap((one) => {
    return (one.what === 'started' || one.what === 'exited') && one.container === container ? [one.run] : [];
  });
  return Math.max(0, ...runs);
}

/** The restarts of a container. */
export function restartsOf(story: RunStory, container: string): number {
  return Math.max(0, runCountOf(story, container) - 1);
}

/** The exit of a run of a container, by default of the last one that has ended. */
export function recordedExit({ happenings }: RunStory, container: string, run?: number): RunExit | undefined {
  return happenings.findLast((one): one is RunExit => {
    return one.what === 'exited' && one.container === container && one.run === (run ?? one.run);
  });
}

/** The message of an Event, and the container that it is about. */
interface EventNews {
  /** The message of the latest occurrence. */
  readonly message: string;
  /** Undefined: the event is about the Pod, or about a container that a combined event does not name. */
  readonly container: string | undefined;
  /** True for similar events in one, whose occurrences may be about different containers. */
  readonly isCombined: boolean;
}

/** The container in the message of a `Killing` event. */
const NAMED_CONTAINER = /^(?:Stopping container|Container|Init container) (\S+)/;

/**
 * Reads an event. A combined event refers to the container of its first occurrence, but has the message of its latest:
 * the container is known only if the message names it.
 */
export function eventSubject(event: StoredEvent): EventNews {
  const { message = '' } = event;
  if (!message.startsWith(COMBINED)) {
    return { message: message.trim(), container: referredContainer(event), isCombined: false };
  }
  const latest = message.slice(COMBINED.length).trim();
  return { message: latest, container: NAMED_CONTAINER.exec(latest)?.[1], isCombined: true };
}

/** The container of an event. A combined event that names none counts for the container of its first occurrence. */
export function containerOfEvent(event: StoredEvent): string | undefined {
  return eventSubject(event).container ?? referredContainer(event);
}

function referredContainer({ involvedObject }: StoredEvent): string | undefined {
  return /^spec\.\w+\{(.+)\}$/.exec(involvedObject.fieldPath ?? '')?.[1];
}
