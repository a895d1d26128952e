import type { StoredEvent, StoredPod } from '../../src/api/base/objects.ts';
import { eventTransition } from '../../src/print/live/event-transition.ts';
import { liveColumns } from '../../src/print/live/live-columns.ts';
import { renderTransition } from '../../src/print/live/live-line.ts';
import { PLAIN } from '../../src/print/text/painter.ts';
import { transitionsOf } from '../../src/print/live/pod-transitions.ts';
import type { Transition } from '../../src/print/live/transition.ts';
import { trace, type TraceLine } from './golden.ts';

const isEvent = (object: TraceLine['object']): object is StoredEvent => object.kind === 'Event';

/** All transitions of a recorded run, in the order of the live view. */
export function transitionsOfTrace(scenario: string): Transition[] {
  let previous: StoredPod | undefined;
  return trace(scenario).flatMap(({ t, type, object }) => {
    const atMs = t * 1000;
    if (isEvent(object)) {
      const transition = eventTransition(object, atMs, previous);
      return transition === undefined ? [] : [transition];
    }
    const changes = transitionsOf(previous, object, atMs);
    previous = object;
    return type === 'DELETED' ? [...changes, ...transitionsOf(object, undefined, atMs)] : changes;
  });
}

/** The lines of a recorded run: sign, subject, text; without times and the name of the Pod. */
export function storyOfTrace(scenario: string): string[] {
  return transitionsOfTrace(scenario).map(storyLine);
}

export function storyLine(transition: Transition): string {
  const { container = 'Pod', subject = container, role } = transition;
  const { length: nameWidth } = subject;
  const fieldWidth = nameWidth + (role === undefined ? 0 : 2 + role.length);
  const columns = { ...liveColumns({ pods: [], workloads: [] }), isSingle: true, nameWidth, fieldWidth };
  return renderTransition({ ...transition, pod: 'Pod' }, 0, { columns, color: PLAIN }).replace(/^ *\S+ +/, '');
}
