import {
  DEFAULT_NAMESPACE,
  type PodrunError,
  type StoredEvent,
  type StoredKubeObject,
  type StoredPod,
  usage,
} from '../../api/index.ts';
import { type Moment, onRecordAt, parseMoment, type RunState, stateAt } from '../../history/index.ts';
import { type FileStore, RecordedRuns } from '../../store/index.ts';
import type { FoundObjects } from '../select/find-objects.ts';
import { mustFindType } from '../select/resource-arguments.ts';
import type { Selection } from '../select/selection.ts';

/** Pods at a past time, with their Events. */
export interface PastPods {
  /** The Pods in the form of a listing. */
  readonly selected: FoundObjects;
  readonly pods: readonly StoredPod[];
  readonly events: readonly StoredEvent[];
  /** The time that ages count to, milliseconds since 1970. */
  readonly nowMs: number;
}

/** A moment as `--at` names it. Without `at`: the end of a run, or its present state. */
export interface Past {
  readonly at: string | undefined;
  /** The present, milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * The Pods of a selection at a moment.
 * @throws {PodrunError} when there is no such run or moment, or when the moment fits one Pod only and several are
 * selected
 */
export function pastPods(store: FileStore, selection: Selection, past: Past): PastPods {
  const types = selection.how === 'listed' ? selection.types : selection.refs.map(({ type }) => type);
  const other = types.find(({ plural }) => plural !== 'pods');
  if (other !== undefined) throw usage(`podrun records Pods and their events only, not ${other.plural}`);
  if (selection.how === 'listed') {
    const { namespace, matches } = selection;
    const type = types[0] ?? mustFindType('pods');
    return pastPodsOf(
      statesOfAll(store, namespace, past).filter(({ pod }) => matches(type, asKubeObject(pod))),
      past,
    );
  }
  const { refs } = selection;
  return pastPodsOf(statesOf(store, refs, past), past);
}

/** The Events at a moment: of the run of one Pod, or of all Pods of a namespace. */
export function pastEvents(
  store: FileStore,
  { pod, namespace }: { readonly pod: string | undefined; readonly namespace: string | undefined },
  past: Past,
): PastPods {
  if (pod === undefined) return pastPodsOf(statesOfAll(store, namespace, past), past);
  return pastPodsOf(statesOf(store, [{ namespace: namespace ?? DEFAULT_NAMESPACE, name: pod }], past), past);
}

function pastPodsOf(states: readonly RunState[], { at, nowMs }: Past): PastPods {
  const objects = states.map(({ pod }) => asKubeObject(pod));
  return {
    selected: { groups: objects.length === 0 ? [] : [{ type: mustFindType('pods'), objects }], missing: [] },
    pods: states.map(({ pod }) => pod),
    events: states.flatMap(({ events }) => events),
    nowMs: at === undefined ? nowMs : (states[0]?.atMs ?? nowMs),
  };
}

function statesOf(
  store: FileStore,
  names: ReadonlyArray<{ readonly namespace: string; readonly name: string }>,
  { at, nowMs }: Past,
): RunState[] {
  const moment: Moment = at === undefined ? { how: 'end' } : parseMoment(at);
  if (at !== undefined && moment.how !== 'time' && names.length > 1) throw ofOnePod(at);
  const runs = new RecordedRuns(store);
  return names.map(({ namespace, name }) => {
    const match = runs.find(namespace, name);
    return stateAt({ run: match.run, recorded: runs.read(match) }, moment, nowMs);
  });
}

/** The states of all runs at a time. */
function statesOfAll(store: FileStore, namespace: string | undefined, { at = '' }: Past): RunState[] {
  const moment = parseMoment(at);
  if (moment.how !== 'time') throw ofOnePod(at);
  const runs = new RecordedRuns(store);
  return runs.list({ namespace }).flatMap((run) => onRecordAt(runs.read(run), moment.ms) ?? []);
}

function asKubeObject(pod: StoredPod): StoredKubeObject {
  return pod as unknown as StoredKubeObject;
}

function ofOnePod(at: string): PodrunError {
  return usage(
    `${at} is a moment in the life of one Pod`,
    'Name the Pod, or give a time, for example 2026-01-15T12:00:00Z.',
  );
}
