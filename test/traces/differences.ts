import { type EventNote, noteText } from './event-note.ts';
import { type ContainerView, containerText, factNames, type PodState } from './pod-state.ts';

/** The history of a Pod, as a stream shows it. */
export interface Story {
  readonly states: readonly PodState[];
  readonly events: readonly EventNote[];
}

/** True when the node drops further events. Source: client-go tools/record EventSourceObjectSpamFilter. */
export function isCutOff({ events }: Story): boolean {
  return events.filter(({ component }) => component === 'kubelet').length >= 25;
}

export type Teller = 'node' | 'podrun';

/** A permitted difference between podrun and the recorded node. A difference that changes no comparison fails. */
export interface Difference {
  readonly scenario: string;
  readonly why: string;
  /** The side whose story has more. */
  readonly teller: Teller;
  /** States that the other side leaves out: each named fact matches. */
  readonly leavesOutStates?: Readonly<Record<string, RegExp>>;
  /** Events that the other side leaves out, after a number of equal events. */
  readonly leavesOutEvents?: { readonly text: RegExp; readonly after?: number };
  /** A fact whose text the other side has in another form. */
  readonly reads?: { readonly fact: string; readonly here: string; readonly there: string };
}

/** Events that repeat while a state lasts: their number depends on time and not on order. */
export const REPEATING: Readonly<Record<string, string>> = {
  BackOff: 'kubelet repeats it with each sync until the back-off is over',
  DeadlineExceeded: 'kubelet repeats it with each sync until the Pod has ended, podrun tells it once',
  FailedMount: 'one for each attempt, and attempts go on until the Pod is deleted',
  Unhealthy: 'one for each failed probe, and kubelet probes a container that is not ready more often than its period',
};

/** Events of a node that podrun may leave out. */
const UNTOLD_EVENTS: readonly RegExp[] = [
  // A probe that was running when its container ended.
  /failed to exec in container: (failed to load task|container is in CONTAINER_EXITED)/,
];

const LATE_EXIT =
  'the container had ended when the Pod was changed, which kubelet learned only afterwards; podrun learns of an exit ' +
  'at once, and is in the next back-off by then';
const LAST_PROBE = 'a probe that kubelet began when the container was being stopped';

export const DIFFERENCES: readonly Difference[] = [
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
    scenario: 'eph-beside-a-crash-loop',
    why: LATE_EXIT,
    teller: 'node',
    leavesOutStates: { generation: /^2, observed 1/, 'container main': /^\{"running"/ },
  },
  {
    scenario: 'eph-beside-a-crash-loop',
    why: LATE_EXIT,
    teller: 'podrun',
    leavesOutStates: { generation: /^2, observed 1/, 'container main': /^\{"waiting"/ },
  },
  {
    scenario: 'probe-startup-again-after-liveness-kill',
    why: 'kubelet takes the container that was started again for a started one for a moment, and probes its readiness',
    teller: 'node',
    leavesOutEvents: { text: /Readiness probe failed: "$/ },
  },
  ...(['node', 'podrun'] as const).map((teller): Difference => ({
    scenario: 'probe-kinds-of-failure',
    why: 'which ten of thirteen failing probes are told by themselves, the others combined, is chance; so with stops',
    teller,
    leavesOutEvents: { text: /Unhealthy|Killing/ },
  })),
  ...['probe-liveness-grace-override', 'probe-startup-grace-override'].flatMap((scenario) =>
    (['node', 'podrun'] as const).map((teller): Difference => ({
      scenario,
      why: 'the Pod is deleted in the second before its probe fails again: which of the two kills it is chance',
      teller,
      leavesOutEvents: { text: /Killing/, after: 1 },
    })),
  ),
];

/** Leaves out repetitions, and states and events of one side only. `onUse` gets each difference that was used. */
export function comparableStory(
  story: Story,
  { scenario, teller, onUse }: { scenario: string; teller: Teller; onUse: (used: Difference) => void },
): Story {
  const all = story.states.map(withoutRace).map(withoutSignal);
  const isLeftToOther = teller === 'node' ? isUntold : isPartOfRestartAll;
  let states = all.filter((state, index) => !isLeftToOther(state, all[index - 1], all[index + 1]));
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

/** True when podrun may leave out this state of a node, by one of the rules below. */
function isUntold(state: PodState, before: PodState | undefined, next: PodState | undefined): boolean {
  if (before === undefined || next === undefined) return false;
  return [startsBeforeReady, seemsStarted, endsWithHook, isOneOfTwoOrders].some((holds) => holds(state, before, next));
}

/** A node shows the begin and the end of a RestartAllContainers; podrun also shows the end of each container. */
function isPartOfRestartAll(state: PodState, before: PodState | undefined): boolean {
  return [before, state].every((one) => one?.facts['condition AllContainersRestarting']?.startsWith('True'));
}

/** A node shows the success of a startup probe one update before Ready; podrun shows both in one. */
function startsBeforeReady({ containers, programs }: PodState, before: PodState, next: PodState): boolean {
  return Object.entries(containers).some(([name, { state, started, ready }]) => {
    const [was, willBe] = [before.containers[name], next.containers[name]];
    const hasJustStarted = started === true && !ready && was?.started === false && was.state === state;
    const isReadyThen = willBe?.ready === true && willBe.state === state;
    return hasJustStarted && isReadyThen && programs[name]?.hasReadinessProbe === false;
  });
}

/** A node treats a restarted container as one without a startup probe, for up to a second. */
function seemsStarted({ containers }: PodState, before: PodState, next: PodState): boolean {
  return Object.entries(containers).some(([name, { state, started, restartCount }]) => {
    const [was, willBe] = [before.containers[name], next.containers[name]];
    const isNew = was !== undefined && restartCount > was.restartCount && state.startsWith('{"running"');
    return isNew && started === true && willBe?.started === false && willBe.state === state;
  });
}

/**
 * The status of a container with a postStart hook becomes running when the hook ends: the container may have ended by
 * then.
 */
function endsWithHook({ containers, programs }: PodState, before: PodState, next: PodState): boolean {
  return Object.entries(containers).some(([name, { state, restartCount }]) => {
    const [was, willBe] = [before.containers[name], next.containers[name]];
    const hasJustBegun = was?.state.startsWith('{"waiting"') === true && state.startsWith('{"running"');
    const isSame = willBe?.restartCount === restartCount;
    return hasJustBegun && isSame && isEnded(willBe) && programs[name]?.hasPostStart === true;
  });
}

/** The period in which a node looks for ended containers. */
const GATHERED_SECONDS = 1.3;

/**
 * Ends of regular containers and results of readiness probes come independently. Of two within a second, either may
 * come first, on a node as under podrun; the state after both is the same.
 */
function isOneOfTwoOrders(state: PodState, before: PodState, next: PodState): boolean {
  const [mine, theirs] = [changedContainers(before, state), changedContainers(state, next)];
  const others = [...changedFacts(before, state), ...changedFacts(state, next)].filter((name) => !isOfContainers(name));
  const isSoon = (next.seconds ?? 0) - (state.seconds ?? 0) < GATHERED_SECONDS;
  if (!isSoon || others.length > 0 || theirs.length === 0 || mine.every((name) => theirs.includes(name))) return false;
  const ends = (name: string, from: PodState, to: PodState): boolean =>
    to.regularContainers.includes(name) && isEnded(to.containers[name]) && !isEnded(from.containers[name]);
  const areEnds = mine.some((name) => ends(name, before, state)) && theirs.every((name) => ends(name, state, next));
  return areEnds || mine.every((name) => isProbed(name, before, state));
}

/** True for facts that containers change: not the deletion of their Pod, nor the end of its sandbox. */
function isOfContainers(name: string): boolean {
  return /^(container |condition (Initialized|Ready|ContainersReady)$|phase$|addresses$)/.test(name);
}

function isEnded(view: ContainerView | undefined): boolean {
  return view?.state.startsWith('{"terminated"') === true;
}

/** True when only the result of the readiness probe has changed. */
function isProbed(name: string, before: PodState, { containers, programs }: PodState): boolean {
  const [was, is] = [before.containers[name], containers[name]];
  if (was === undefined || is === undefined || programs[name]?.hasReadinessProbe !== true) return false;
  return is.ready !== was.ready && containerText({ ...is, ready: was.ready }) === containerText(was);
}

function changedFacts(from: PodState, to: PodState): string[] {
  return factNames(from, to).filter((name) => from.facts[name] !== to.facts[name]);
}

function changedContainers(from: PodState, to: PodState): string[] {
  return changedFacts(from, to).flatMap((name) =>
    name.startsWith('container ') ? [name.slice('container '.length)] : [],
  );
}

/**
 * On a node, a program without a handler ignores SIGTERM as process 1 of its container, and is killed at the end of the
 * grace period. Under podrun it may be an ordinary process, which SIGTERM ends.
 */
function withoutSignal(state: PodState): PodState {
  const read = ([name, fact]: [string, string]): [string, string] => {
    const hasHandler = state.programs[name.replace('container ', '')]?.hasHandler ?? true;
    return [
      name,
      hasHandler ? fact : fact.replaceAll(/"exitCode":(137|143),"reason":"Error"/g, '"exitCode":"TERM or KILL"'),
    ];
  };
  return { ...state, facts: Object.fromEntries(Object.entries(state.facts).map(read)) };
}

/** A forced deletion removes an object at once: the kubelet may or may not have seen the request by then. */
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
