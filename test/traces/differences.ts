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
  DeadlineExceeded: 'kubelet repeats it with each sync until the Pod has ended, podrun tells it once',
  FailedMount: 'one for each attempt, and attempts go on until the Pod is deleted',
  Unhealthy: 'one for each failed probe, and kubelet probes a container that is not ready more often than its period',
};

const ONE_UPDATE_LESS =
  'kubelet may tell that the sandbox is gone an update before the phase, podrun tells both in one';
const LATE_EXIT =
  'the container had ended when the Pod was deleted, which kubelet learned only afterwards; podrun learns of an exit ' +
  'at once, and is in the next back-off by then';

export const DIFFERENCES: readonly Difference[] = [
  ...['sidecar-outlives-main', 'sidecar-reverse-stop-order', 'sidecar-startup-probe-gates-next'].map(
    (scenario): Difference => ({
      scenario,
      why: ONE_UPDATE_LESS,
      teller: 'node',
      leavesOutStates: { phase: /^Running$/, 'condition PodReadyToStartContainers': /^False/ },
    }),
  ),
  {
    scenario: 'hook-poststart-failure-kills',
    why: 'on a node sleep is PID 1, which ignores SIGTERM; under podrun it is an ordinary process, which SIGTERM ends',
    teller: 'node',
    reads: { fact: 'container main', here: '"exitCode":137', there: '"exitCode":143' },
  },
  {
    scenario: 'sidecar-startup-probe-gates-next',
    why: 'kubelet tells of the startup probe an update before what follows from its success, podrun tells both in one',
    teller: 'node',
    leavesOutStates: { 'container sc-1': /ready=false started=true/ },
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
    leavesOutEvents: { text: /BackOff/, after: 1 },
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
  let { states } = story;
  let events = story.events.filter((event, index) => !isRepetition(event, story.events.slice(0, index)));
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
