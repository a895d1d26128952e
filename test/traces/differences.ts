import { type EventNote, noteText } from './event-note.ts';
import type { PodState } from './pod-state.ts';

/** What happened to a Pod, as far as a stream tells. */
export interface Story {
  readonly states: readonly PodState[];
  readonly events: readonly EventNote[];
}

export type Teller = 'node' | 'podrun';

/** Something in which podrun may differ from the recorded node. Each one is needed: one that changes nothing fails. */
export interface Difference {
  readonly scenario: string;
  readonly why: string;
  /** In whose story it is found. */
  readonly teller: Teller;
  /** States that the other does not tell: each fact that is named matches. */
  readonly leavesOutStates?: Readonly<Record<string, RegExp>>;
  /** Events that the other does not tell, and after how many that it does. */
  readonly leavesOutEvents?: { readonly text: RegExp; readonly after?: number };
  /** Text in the fact that the other has otherwise. */
  readonly reads?: { readonly fact: string; readonly here: string; readonly there: string };
}

/** Events that come again as long as something lasts: how often is a matter of time, not of order. */
export const REPEATING: Readonly<Record<string, string>> = {
  BackOff: 'kubelet repeats it with each sync until the back-off is over',
  DeadlineExceeded: 'kubelet repeats it with each sync until the Pod has ended, podrun tells it once',
  FailedMount: 'one for each attempt, and attempts go on until the Pod is deleted',
  Unhealthy: 'one for each failed probe, and kubelet probes a container that is not ready more often than its period',
};

/** Events of a node that podrun need not tell. */
const UNTOLD_EVENTS: readonly RegExp[] = [
  // A probe that ran into the end of its container.
  /failed to exec in container: (failed to load task|container is in CONTAINER_EXITED)/,
];

const LATE_EXIT =
  'the container had ended when the Pod was deleted, which kubelet learned only afterwards; podrun learns of an exit ' +
  'at once, and is in the next back-off by then';
const LAST_PROBE = 'a probe that kubelet began when the container was being stopped';

export const DIFFERENCES: readonly Difference[] = [
  {
    scenario: 'hook-poststart-failure-kills',
    why: 'on a node sleep is PID 1, which ignores SIGTERM; under podrun it is an ordinary process, which SIGTERM ends',
    teller: 'node',
    reads: { fact: 'container main', here: '"exitCode":137', there: '"exitCode":143' },
  },
  {
    scenario: 'restart-crashloop-event',
    why: LATE_EXIT,
    teller: 'node',
    leavesOutStates: { deletion: /^grace 2/, 'container main': /^\{"running"/ },
    leavesOutEvents: { text: /Killing/ },
  },
  {
    scenario: 'restart-crashloop-event',
    why: LATE_EXIT,
    teller: 'podrun',
    leavesOutStates: { 'container main': /^\{"waiting".*back-off 4s/ },
  },
  {
    scenario: 'probe-readiness-timeout-not-ready',
    why: LAST_PROBE,
    teller: 'node',
    leavesOutEvents: { text: /Readiness probe failed: "$/ },
  },
  {
    scenario: 'rule-restart-all-on-main-exit',
    why: 'kubelet removes containers in the sync that kills them, podrun shows how each of them ends before',
    teller: 'podrun',
    leavesOutStates: { 'condition AllContainersRestarting': /^True/, 'condition Ready': /status: \[(?!source\])/ },
  },
  {
    scenario: 'rule-restart-all-on-main-exit',
    why: 'kubelet drops events of a Pod beyond 25 in a short time, podrun tells all it knows',
    teller: 'podrun',
    leavesOutEvents: { text: /^kubelet: /, after: 25 },
  },
];

/** Leaves out repetitions, and what only one of the two tells; `onUse` learns of each difference that was met. */
export function comparableStory(
  story: Story,
  { scenario, teller, onUse }: { scenario: string; teller: Teller; onUse: (used: Difference) => void },
): Story {
  let states = story.states.map(withoutRace);
  if (teller === 'node')
    states = states.filter((state, index) => !isUntold(state, states[index - 1], states[index + 1]));
  let events = story.events.filter((event, index) => !isRepetition(event, story.events.slice(0, index)));
  if (teller === 'node') events = events.filter((event) => !UNTOLD_EVENTS.some((text) => text.test(noteText(event))));
  for (const difference of DIFFERENCES) {
    if (difference.scenario !== scenario || difference.teller !== teller) continue;
    const [statesBefore, eventsBefore] = [states, events];
    states = states.filter((state) => !isLeftOut(state, difference)).map((state) => reread(state, difference));
    events = withoutLeftOut(events, difference);
    const hasChanged = states.some((state, index) => state !== statesBefore[index]);
    if (hasChanged || states.length < statesBefore.length || events.length < eventsBefore.length) onUse(difference);
  }
  return { states, events };
}

/** A node tells that a startup probe has succeeded an update before what follows from that; podrun tells it with it. */
function isUntold({ containers }: PodState, before: PodState | undefined, next: PodState | undefined): boolean {
  return Object.entries(containers).some(([name, { state, started, ready }]) => {
    const [was, willBe] = [before?.containers[name], next?.containers[name]];
    const hasJustStarted = started === true && !ready && was?.started === false && was.state === state;
    return hasJustStarted && willBe?.ready === true && willBe.state === state;
  });
}

/** An object that is removed by force is gone at once: whether its kubelet has seen the request by then is chance. */
function withoutRace(state: PodState): PodState {
  if (state.facts['deletion'] !== 'grace 0 s') return state;
  const facts = Object.entries(state.facts).filter(([name]) => !name.startsWith('generation'));
  return { ...state, facts: Object.fromEntries(facts) };
}

function isRepetition(event: EventNote, before: readonly EventNote[]): boolean {
  return event.reason in REPEATING && before.some((earlier) => noteText(earlier) === noteText(event));
}

function isLeftOut(state: PodState, { leavesOutStates }: Difference): boolean {
  if (leavesOutStates === undefined) return false;
  return Object.entries(leavesOutStates).every(([name, pattern]) => pattern.test(state.facts[name] ?? ''));
}

function reread(state: PodState, { reads }: Difference): PodState {
  const fact = reads && state.facts[reads.fact];
  if (reads === undefined || fact === undefined || !fact.includes(reads.here)) return state;
  return { ...state, facts: { ...state.facts, [reads.fact]: fact.replaceAll(reads.here, reads.there) } };
}

function withoutLeftOut(events: readonly EventNote[], { leavesOutEvents }: Difference): EventNote[] {
  let met = 0;
  return events.filter((event) => {
    if (leavesOutEvents === undefined || !leavesOutEvents.text.test(noteText(event))) return true;
    return met++ < (leavesOutEvents.after ?? 0);
  });
}
