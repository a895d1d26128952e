import { conditionText, type ContainerView, containerText, factNames, type PodState } from './pod-state.ts';
import { type EventNote, noteText } from './event-note.ts';

/**
 * Compares two streams of a Pod. A node joins changes that fall into one sync; podrun shows each of
 * them. So:
 *
 * - every state of the node is a state of podrun, in the same order;
 * - every other state of podrun lies on the way from the state before it to the node's next one: each fact of it is
 *   one of the former or of the latter, or is a step in between that follows from them (`isStepBetween`).
 *
 * @returns the difference in words; undefined when there is none
 */
export function historyMismatch(node: readonly PodState[], podrun: readonly PodState[]): string | undefined {
  let reached = 0;
  for (const [index, state] of podrun.entries()) {
    const next = node[reached];
    if (next === undefined) return `podrun goes on after the node's last state:\n${changes(podrun[index - 1], state)}`;
    if (isToldBy(state, next)) reached++;
    else {
      const before = podrun[index - 1];
      const wrong = before === undefined ? factNames(state) : strayFacts(before, state, next);
      if (wrong.length > 0) return stray({ index, state, before, next, wrong });
    }
  }
  const missing = node[reached];
  if (missing === undefined) return undefined;
  return `podrun never shows the node's state ${reached + 1} of ${node.length}:\n${changes(podrun.at(-1), missing)}`;
}

/** True when a state of podrun equals that of the node. A container may be in CrashLoopBackOff under podrun already. */
export function isToldBy(podrun: PodState, node: PodState): boolean {
  return factNames(podrun, node).every(
    (name) => podrun.facts[name] === node.facts[name] || isBackOff(name, podrun, node),
  );
}

/**
 * podrun shows CrashLoopBackOff as soon as the back-off begins. A node shows it with a later sync of the Pod or never:
 * until then the container is terminated.
 */
function isBackOff(name: string, podrun: PodState, node: PodState): boolean {
  const container = name.replace('container ', '');
  const [ours, theirs] = [podrun.containers[container], node.containers[container]];
  if (container === name || ours === undefined || theirs === undefined) return false;
  const isWaiting = ours.state.startsWith('{"waiting":{"reason":"CrashLoopBackOff"') && ours.lastState === theirs.state;
  const { state, lastState } = theirs;
  return isWaiting && containerText({ ...ours, state, lastState }) === containerText(theirs);
}

/** Facts of a state that neither the state before nor the next one has, and that are no step between them. */
function strayFacts(before: PodState, state: PodState, next: PodState): string[] {
  return factNames(before, state, next).filter((name) => {
    const fact = state.facts[name];
    if (fact === before.facts[name] || fact === next.facts[name]) return false;
    if (isBackOff(name, state, before) || isBackOff(name, state, next)) return false;
    return !isStepBetween(name, before, state, next);
  });
}

/**
 * Facts that have values on the way that neither end has: an instance of a container ran before it ended, and ended
 * before its lastState told of it; conditions that list containers follow what these have just done; the phase is
 * Running while a container runs; and the Pod's sandbox is told of while it is made, before it has an address.
 */
function isStepBetween(name: string, before: PodState, state: PodState, next: PodState): boolean {
  const container = name.replace('container ', '');
  if (container !== name) return isLifeBetween(container, before, state, next);
  const [was, fact] = [before.facts[name], state.facts[name]];
  if (name === 'addresses') return was === '' && fact === 'host';
  if (name === 'condition PodReadyToStartContainers' && was === undefined) return fact === 'False';
  if (!factNames(state).some((other) => isNewContainer(other, before, state))) return false;
  if (name === 'phase') return fact === 'Running' && was === 'Pending';
  return fact === listingCondition(name.replace('condition ', ''), state);
}

function isNewContainer(name: string, before: PodState, state: PodState): boolean {
  return name.startsWith('container ') && state.facts[name] !== before.facts[name];
}

/**
 * True when a container runs or has just ended, on the way to the node's next state. The instances of a container come
 * one after the other: each runs, ends and is waited for. Its end is the node's.
 */
function isLifeBetween(container: string, before: PodState, state: PodState, next: PodState): boolean {
  const [was, is, willBe] = [before, state, next].map(({ containers }) => containers[container]);
  if (was === undefined || is === undefined || willBe === undefined) return false;
  if (!(progress(was) <= progress(is) && progress(is) < progress(willBe))) return false;
  if (is.mounts !== willBe.mounts || (is.image !== was.image && is.image !== willBe.image)) return false;
  if (is.state.startsWith('{"running"')) return progress(was) < progress(is);
  const isSameInstance = is.restartCount === willBe.restartCount;
  const hasEnded = willBe.lastState === is.state || (isSameInstance && willBe.state === is.state);
  return hasEnded && !is.ready && is.started !== true && willBe.restartCount - is.restartCount <= 1;
}

function progress({ state, ids, restartCount }: ContainerView): number {
  const stage = state.startsWith('{"running"') ? 1 : state.startsWith('{"terminated"') ? 2 : ids === 'no ids' ? 0 : 3;
  return restartCount * 4 + stage;
}

/**
 * The kubelet's text of a condition while containers are not ready, computed from the statuses. Source:
 * pkg/kubelet/status/generate.go.
 */
function listingCondition(type: string, state: PodState): string | undefined {
  const { containers, initContainers, regularContainers } = state;
  const isReady = (name: string): boolean => containers[name]?.ready === true;
  const sidecars = initContainers.filter(({ isSidecar }) => isSidecar).map(({ name }) => name);
  const lists: Readonly<Record<string, { reason: string; word: string; names: readonly string[] }>> = {
    Ready: {
      reason: 'ContainersNotReady',
      word: 'unready',
      names: [...sidecars, ...regularContainers].filter((name) => !isReady(name)),
    },
    Initialized: {
      reason: 'ContainersNotInitialized',
      word: 'incomplete',
      names: initContainers
        .filter(({ name, isSidecar }) => (isSidecar ? containers[name]?.started !== true : !isReady(name)))
        .map(({ name }) => name),
    },
  };
  const list = lists[type === 'ContainersReady' ? 'Ready' : type];
  if (list === undefined) return undefined;
  if (list.names.length === 0) return conditionText({ status: 'True' });
  const message = `containers with ${list.word} status: [${list.names.join(' ')}]`;
  return conditionText({ status: 'False', reason: list.reason, message });
}

/** Stops and probes run in parallel: only the order within a container counts. */
const BESIDE = new Set(['Killing', 'Unhealthy']);

/**
 * Compares the events of two streams. They must be equal in number and order, except for `BESIDE`.
 * @param isCut true when the node drops all later events
 */
export function eventMismatch(
  node: readonly EventNote[],
  podrun: readonly EventNote[],
  isCut = false,
): string | undefined {
  const inOrder = ({ reason }: EventNote): boolean => !BESIDE.has(reason);
  const subjects = [...new Set([...node, ...podrun].map(({ about }) => about))];
  const parts: ReadonlyArray<readonly [what: string, belongs: (event: EventNote) => boolean]> = [
    [`events other than ${[...BESIDE].join(' and ')}`, inOrder],
    ...subjects.map(
      (subject) => [`events about ${subject || 'the Pod'}`, ({ about }: EventNote) => about === subject] as const,
    ),
  ];
  return parts
    .map(([what, belongs]) => {
      const theirs = node.filter(belongs);
      const ours = podrun.filter(belongs);
      return listMismatch(what, theirs, isCut ? ours.slice(0, theirs.length) : ours);
    })
    .find((mismatch) => mismatch !== undefined);
}

function listMismatch(what: string, node: readonly EventNote[], podrun: readonly EventNote[]): string | undefined {
  const [ours, theirs] = [podrun.map(noteText), node.map(noteText)];
  const at = Array.from({ length: Math.max(ours.length, theirs.length) }, (_, index) => index).find(
    (index) => ours[index] !== theirs[index],
  );
  if (at === undefined) return undefined;
  return `${what} differ from number ${at + 1} on:\n  node:   ${theirs[at] ?? 'none'}\n  podrun: ${ours[at] ?? 'none'}`;
}

interface Stray {
  readonly index: number;
  readonly state: PodState;
  readonly before: PodState | undefined;
  readonly next: PodState;
  readonly wrong: readonly string[];
}

function stray({ index, state, before, next, wrong }: Stray): string {
  const lines = wrong.map(
    (name) =>
      `  ${name}\n    before:      ${before?.facts[name]}\n    podrun:      ${state.facts[name]}` +
      `\n    node's next: ${next.facts[name]}`,
  );
  return `state ${index + 1} of podrun is not on the way to the node's next one:\n${lines.join('\n')}`;
}

function changes(from: PodState | undefined, to: PodState): string {
  const names = factNames(...(from === undefined ? [] : [from]), to);
  const changed = names.filter((name) => from?.facts[name] !== to.facts[name]);
  return changed.map((name) => `  ${name}\n    from: ${from?.facts[name]}\n    to:   ${to.facts[name]}`).join('\n');
}
