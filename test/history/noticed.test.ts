import { describe, expect, it } from 'vitest';
import { pairRuns } from '../../src/history/compare/pair-runs.ts';
import { noticedIn } from '../../src/history/noticed.ts';
import type { RecordedRun, RecordedTransition } from '../../src/history/base/recorded-run.ts';
import type { NamedRun } from '../../src/history/base/state-at.ts';

interface State {
  readonly at: number;
  readonly ready: boolean;
  readonly restarts?: number;
}

function runOf(
  name: string,
  states: readonly State[],
  more: { generateName?: string; hash?: string } = {},
): RecordedRun {
  const { generateName, hash } = more;
  const labels = hash === undefined ? {} : { 'pod-template-hash': hash };
  const metadata = { name, namespace: 'default', uid: name, labels, ...(generateName && { generateName }) };
  const transitions = states.map(({ at, ready, restarts = 0 }) => {
    const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
    const status = { phase: 'Running', conditions, containerStatuses: [{ name: 'main', restartCount: restarts }] };
    return { at, type: 'MODIFIED', object: { apiVersion: 'v1', kind: 'Pod', metadata, spec: {}, status } };
  });
  return { namespace: 'default', name, uid: name, transitions: transitions as never, probes: [], hooks: [] };
}

const fault = (at: number, count: number): RecordedTransition =>
  ({
    at,
    type: 'MODIFIED',
    object: { kind: 'Event', reason: 'FaultInjected', count, metadata: { name: 'f' } },
  }) as never;

describe('what a user would have noticed', () => {
  it('is the longest time until Ready again, without the times before the first Ready and at the end', () => {
    const run = runOf('web', [
      { at: 0, ready: false },
      { at: 1000, ready: true },
      { at: 2000, ready: false, restarts: 1 },
      { at: 2500, ready: true, restarts: 1 },
      { at: 3000, ready: false, restarts: 2 },
      { at: 3500, ready: false, restarts: 2 },
      { at: 4700, ready: true, restarts: 2 },
      { at: 9000, ready: false, restarts: 2 },
    ]);
    const transitions = [...run.transitions, fault(2000, 1), fault(3000, 2)];
    expect(noticedIn([{ ...run, transitions }])).toEqual({ faults: 2, restarts: 2, readyAgainMs: 1700, requests: [] });
  });

  it('is nothing of Pods that stayed Ready to their end', () => {
    const run = runOf('web', [
      { at: 0, ready: true },
      { at: 5000, ready: false },
    ]);
    expect(noticedIn([run, run])).toEqual({ faults: 0, restarts: 0, readyAgainMs: undefined, requests: [] });
  });
});

describe('runs at two places', () => {
  const named = (...args: Parameters<typeof runOf>): NamedRun => ({ run: args[0], recorded: runOf(...args) });
  const ready = [{ at: 0, ready: true }];

  it('pair by name, or by the controller that made the name up', () => {
    const made = (name: string, hash: string): NamedRun => named(name, ready, { generateName: `web-${hash}-`, hash });
    const pairs = pairRuns(
      [named('one', ready), made('web-aa-x', 'aa'), made('web-aa-y', 'aa')],
      [made('web-bb-z', 'bb'), named('one', ready), named('two', ready)],
    );
    expect(pairs.map(({ role, a, b }) => [role, a?.run, b?.run])).toEqual([
      ['one', 'one', 'one'],
      ['web-*', 'web-aa-x', 'web-bb-z'],
      ['web-* #2', 'web-aa-y', undefined],
      ['two', undefined, 'two'],
    ]);
  });
});
