import { describe, expect, it } from 'vitest';
import type { WatchEvent } from '../../src/api/base/objects.ts';
import { trace } from '../print/golden.ts';
import { recordedScenarios } from './recorded.ts';
import type { EventNote } from './event-note.ts';
import { eventMismatch, historyMismatch } from './history.ts';
import { isSameState, type PodState, podStates } from './pod-state.ts';
import { changedTimes } from './times.ts';
import { storyOf } from './scenario-run.ts';

const stories = recordedScenarios.map((scenario) => [scenario, storyOf(trace(scenario))] as const);

describe('historyMismatch()', () => {
  it.each(stories)('finds that %s tells itself', (_name, { states }) => {
    expect(historyMismatch(states, states)).toBeUndefined();
  });

  it.each(stories)('notices every single change of %s', (_name, { states }) => {
    const unnoticed = states.flatMap((state, index) =>
      Object.entries(state.facts).flatMap(([name, fact]) => {
        const later = states[index + 1]?.facts[name];
        const others = ['something else', ...(later === undefined || later === fact ? [] : [later])];
        return others.flatMap((other) => {
          const changed = states.with(index, withFact(state, name, other));
          return historyMismatch(states, changed) === undefined ? [`${index} ${name}: ${other}`] : [];
        });
      }),
    );
    expect(unnoticed).toEqual([]);
  });

  it.each(stories)('notices every state of %s that is missing, and every one too many', (_name, { states }) => {
    const without = states.filter((_, index) => historyMismatch(states, states.toSpliced(index, 1)) === undefined);
    const twice = states.filter((state, index) => {
      const back = states[index - 1];
      return back !== undefined && historyMismatch(states, states.toSpliced(index, 0, state, back)) === undefined;
    });
    expect({ without, twice }).toEqual({ without: [], twice: [] });
  });
});

const PENDING = 'waiting';
const node = history(
  { a: { state: PENDING }, b: { state: PENDING } },
  { a: { state: 'running' }, b: { state: 'running' } },
  { a: { state: 'running', restartCount: 1, lastState: 'terminated' }, b: { state: 'running' } },
);

describe('what podrun shows and a node does not', () => {
  it('may be steps of what a node shows at once, with the conditions that follow from them', () => {
    const podrun = history(
      { a: { state: PENDING }, b: { state: PENDING } },
      { a: { state: 'running' }, b: { state: PENDING } },
      { a: { state: 'running' }, b: { state: 'running' } },
      { a: { state: 'terminated' }, b: { state: 'running' } },
      { a: { state: 'running', restartCount: 1, lastState: 'terminated' }, b: { state: 'running' } },
    );
    expect(historyMismatch(node, podrun)).toBeUndefined();
  });

  it.each<[string, readonly Containers[]]>([
    ['an end that is not told afterwards', [{ a: { state: 'terminated', exitCode: 7 }, b: { state: 'running' } }]],
    ['the end of another', [{ a: { state: 'running' }, b: { state: 'terminated' } }]],
    ['a state that is left again', [{ a: { state: PENDING }, b: { state: 'running' } }]],
    [
      'going back to what was',
      [
        { a: { state: 'terminated' }, b: { state: 'running' } },
        { a: { state: 'running' }, b: { state: 'running' } },
      ],
    ],
  ])('may not be %s', (_name, between) => {
    const [first, second, third] = node as [PodState, PodState, PodState];
    expect(historyMismatch(node, [first, second, ...history(...between), third])).toContain('on the way');
  });

  it('may not be a condition that does not follow from its containers', () => {
    const [step] = history({ a: { state: 'running' }, b: { state: PENDING } }) as [PodState];
    const said = step.facts['condition Ready'] ?? '';
    expect(said).toBe('False ContainersNotReady "containers with unready status: [b]"');
    const wrong = withFact(step, 'condition Ready', said.replace('[b]', '[a]'));
    expect(historyMismatch(node, node.toSpliced(1, 0, step))).toBeUndefined();
    expect(historyMismatch(node, node.toSpliced(1, 0, wrong))).toContain('condition Ready');
  });
});

describe('changedTimes()', () => {
  it.each(recordedScenarios)('finds that a node tells no time of %s twice', (scenario) => {
    expect(changedTimes(trace(scenario))).toEqual([]);
  });

  const ready = (status: string, lastTransitionTime: string): object => ({
    conditions: [{ type: 'Ready', status, lastTransitionTime }],
  });
  const main = (state: object): object => ({ containerStatuses: [{ name: 'main', containerID: 'c', state }] });
  const ended = (startedAt: string): object => ({ terminated: { containerID: 'c', startedAt, finishedAt: '9' } });

  it.each<[string, readonly object[], string[]]>([
    ['a condition that keeps its status', [ready('True', '1'), ready('True', '2')], ['Ready is True since: 1, then 2']],
    ['the start of the Pod', [{ startTime: '1' }, { startTime: '2' }], ['start of the Pod: 1, then 2']],
    ['what runs', [main({ running: { startedAt: '1' } }), main(ended('2'))], ['start of c: 1, then 2']],
    ['what has ended', [main(ended('1')), main(ended('2'))], ['start of c: 1, then 2']],
    ['nothing: a condition that turns twice', [ready('True', '1'), ready('False', '2'), ready('True', '3')], []],
  ])('notices another time of %s', (_name, statuses, changed) => {
    const pod = { kind: 'Pod', metadata: { uid: 'u' } };
    const lines = statuses.map((status) => ({ type: 'MODIFIED' as const, object: { ...pod, status } }));
    expect(changedTimes(lines)).toEqual(changed);
  });
});

describe('eventMismatch()', () => {
  it.each(stories)('notices every event of %s that is changed, missing or too many', (_name, { events }) => {
    const altered = events.flatMap((event, index) => [
      events.toSpliced(index, 1),
      events.toSpliced(index, 0, event),
      ...Object.keys(event).map((key) => events.with(index, { ...event, [key]: 'something else' })),
    ]);
    expect(eventMismatch(events, events)).toBeUndefined();
    expect(altered.filter((other) => eventMismatch(events, other) === undefined)).toEqual([]);
  });

  it('holds events to their order, but not the stops of several containers', () => {
    const [one, other] = [killing('a'), killing('b')];
    const start: EventNote = { ...one, reason: 'Started' };
    expect(eventMismatch([one, other], [other, one])).toBeUndefined();
    expect(eventMismatch([start, one], [one, start])).toContain('events about a');
    expect(eventMismatch([start], [start, one])).toContain('events about a');
    expect(eventMismatch([start], [start, one], true)).toBeUndefined();
    expect(eventMismatch([start, { ...start, about: 'b' }], [{ ...start, about: 'b' }, start])).toContain('number 1');
  });
});

describe('a container in back-off', () => {
  const ended = { state: 'terminated' };
  const backOff = { state: 'waiting', reason: 'CrashLoopBackOff', lastState: 'terminated' };
  const running = { state: 'running' };
  const told = history({ a: running, b: running }, { a: ended, b: running }, { a: ended, b: ended });

  it('may be reported before a node reports it, or when a node never does', () => {
    const podrun = history(
      { a: running, b: running },
      { a: ended, b: running },
      { a: backOff, b: running },
      { a: backOff, b: ended },
    );
    expect(historyMismatch(told, podrun)).toBeUndefined();
  });

  it('must be reported when a node reports it, and is no other wait', () => {
    const other = { ...backOff, reason: 'ContainerCreating' };
    expect(historyMismatch([...told, ...history({ a: backOff, b: ended })], told)).toContain('never shows');
    expect(
      historyMismatch(told, history({ a: running, b: running }, { a: ended, b: running }, { a: other, b: running })),
    ).toContain('on the way');
  });
});

function killing(about: string): EventNote {
  return { type: 'Normal', reason: 'Killing', message: 'Stopping', about, component: 'kubelet' };
}

function withFact(state: PodState, name: string, fact: string): PodState {
  return { ...state, facts: { ...state.facts, [name]: fact } };
}

type Containers = Readonly<
  Record<'a' | 'b', { state: string; reason?: string; lastState?: string; restartCount?: number; exitCode?: number }>
>;

/** The states of a Pod with two containers and Ready as its only condition. */
function history(...steps: readonly Containers[]): PodState[] {
  const states = podStates(steps.map(watchLine));
  expect(states.filter((state, index) => index > 0 && isSameState(state, states[index - 1]!))).toEqual([]);
  return states;
}

function watchLine(step: Containers): WatchEvent<unknown> {
  const unready = Object.entries(step).flatMap(([name, { state }]) => (state === 'running' ? [] : [name]));
  const message = `containers with unready status: [${unready.join(' ')}]`;
  const ready = unready.length === 0 ? { status: 'True' } : { status: 'False', reason: 'ContainersNotReady', message };
  const ended = (exitCode = 1): unknown => ({ terminated: { exitCode, reason: 'Error' } });
  const containerStatuses = Object.entries(step).map(
    ([name, { state, reason, lastState, restartCount = 0, exitCode }]) => ({
      name,
      state: state === 'terminated' ? ended(exitCode) : { [state]: reason === undefined ? {} : { reason } },
      lastState: lastState === undefined ? {} : ended(),
      ready: state === 'running',
      started: state === 'running',
      restartCount,
      image: 'app',
    }),
  );
  const pod = {
    kind: 'Pod',
    metadata: { name: 'web', uid: 'u1', generation: 1 },
    spec: { containers: [{ name: 'a' }, { name: 'b' }] },
    status: { conditions: [{ type: 'Ready', ...ready }], containerStatuses },
  };
  return { type: 'MODIFIED', object: pod };
}
