import { expect, it } from 'vitest';
import { type RunOutcome, type RunRecord, type Verdict, verdictOf } from '../../../src/lifecycle/requests/verdict.ts';
import { podRoot } from '../../../src/lifecycle/requests/root.ts';
import { webPod } from '../../print/pods.ts';

const good = podRoot(webPod({ status: { phase: 'Succeeded' } }));
const bad = podRoot(webPod({ status: { phase: 'Failed' } }));
const lapse = { pod: webPod({ status: { phase: 'Failed' } }), container: 'main' };
const lapsed = [{ type: 'lapsed' as const, ...lapse }];

it.each<[RunOutcome, number, Verdict['result'], Verdict['faults']]>([
  [{ type: 'ended' }, 1, 'failed', [{ type: 'failed', root: bad }]],
  [{ type: 'goalMet' }, 0, 'passed', []],
  [{ type: 'goalImpossible', root: bad }, 1, 'failed', [{ type: 'impossible', root: bad }]],
  [{ type: 'goalLapsed', lapse }, 1, 'failed', lapsed],
  [{ type: 'stuck', pods: [lapse.pod] }, 1, 'failed', [{ type: 'stuck', pod: lapse.pod }]],
  [{ type: 'timedOut', roots: [good], unserved: [], duringCommand: true, atMs: 0 }, 124, 'failed', []],
  [{ type: 'commandEnded', exitCode: 0, missing: [], unservable: [] }, 0, 'passed', []],
  [
    {
      type: 'commandEnded',
      exitCode: 0,
      missing: [],
      unservable: [{ about: 'service/web', path: '', message: 'taken' }],
    },
    1,
    'failed',
    [],
  ],
  [{ type: 'commandEnded', exitCode: 7, missing: [], unservable: [] }, 7, 'failed', []],
  // The code of COMMAND wins, unless it is 0.
  [{ type: 'commandEnded', exitCode: 0, lapse, missing: [], unservable: [] }, 1, 'failed', lapsed],
  [{ type: 'commandEnded', exitCode: 7, lapse, missing: [], unservable: [] }, 7, 'failed', lapsed],
  [{ type: 'interrupted', signal: 'SIGHUP' }, 129, 'interrupted', []],
  [{ type: 'interrupted', signal: 'SIGINT' }, 130, 'interrupted', []],
  [{ type: 'interrupted', signal: 'SIGPIPE' }, 141, 'interrupted', []],
  [{ type: 'interrupted', signal: 'SIGTERM' }, 143, 'interrupted', []],
])('%o has exit code %i', (outcome, exitCode, result, faults) => {
  expect(verdictOf(outcome, [good, bad], 'complete')).toEqual({ exitCode, result, faults });
});

it('is good when all Pods Succeeded', () => {
  expect(verdictOf({ type: 'ended' }, [good], 'complete')).toEqual({ exitCode: 0, result: 'passed', faults: [] });
});

it.each<[RunOutcome, RunRecord, number]>([
  [{ type: 'ended' }, 'incomplete', 1],
  [{ type: 'goalMet' }, 'incomplete', 1],
  [{ type: 'commandEnded', exitCode: 0, missing: [], unservable: [] }, 'lost', 1],
  [{ type: 'commandEnded', exitCode: 7, missing: [], unservable: [] }, 'incomplete', 7],
  [{ type: 'timedOut', roots: [], unserved: [], duringCommand: false, atMs: 0 }, 'incomplete', 124],
  // Without the record, nobody knows the end of the Pods.
  [{ type: 'commandEnded', exitCode: 7, missing: [], unservable: [] }, 'lost', 1],
  [{ type: 'interrupted', signal: 'SIGTERM' }, 'lost', 1],
])('%o, whose record is %s, has exit code %i and fails', (outcome, record, exitCode) => {
  expect(verdictOf(outcome, [good], record)).toEqual({ exitCode, result: 'failed', faults: [] });
});
