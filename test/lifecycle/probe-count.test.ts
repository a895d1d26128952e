import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countOutcome,
  NEW_PROBE_WORKER,
  nextProbeStep,
  type ProbeType,
  type ProbeWorker,
} from '../../src/lifecycle/probes/probe.ts';
import { pod, probe, up, watching } from './probed.ts';

describe('countOutcome()', () => {
  it.each<{
    name: string;
    type: ProbeType;
    before: Partial<ProbeWorker>;
    success: boolean;
    publish: boolean | undefined;
  }>([
    { name: 'a first failure is not enough', type: 'liveness', before: {}, success: false, publish: undefined },
    {
      name: 'nor a second',
      type: 'liveness',
      before: { lastOutcome: 'failure', run: 1 },
      success: false,
      publish: undefined,
    },
    {
      name: 'the third is',
      type: 'liveness',
      before: { lastOutcome: 'failure', run: 2 },
      success: false,
      publish: false,
    },
    {
      name: 'a success in between starts the count anew',
      type: 'liveness',
      before: { lastOutcome: 'success', run: 9 },
      success: false,
      publish: undefined,
    },
    {
      name: 'a success that everybody believes is no news',
      type: 'liveness',
      before: {},
      success: true,
      publish: undefined,
    },
    {
      name: 'a first readiness is news',
      type: 'readiness',
      before: { result: 'failure' },
      success: true,
      publish: true,
    },
    {
      name: 'a readiness that failed and fails is none',
      type: 'readiness',
      before: { result: 'failure', lastOutcome: 'failure', run: 7 },
      success: false,
      publish: undefined,
    },
    {
      name: 'a startup is news either way',
      type: 'startup',
      before: { result: 'unknown', lastOutcome: 'failure', run: 2 },
      success: false,
      publish: false,
    },
  ])('$name', ({ type, before, success, publish }) => {
    expect(countOutcome({ ...watching, ...before }, type, probe, success).publish).toBe(publish);
  });

  it.each<{ type: ProbeType; success: boolean; onHold: boolean }>([
    { type: 'startup', success: true, onHold: true },
    { type: 'startup', success: false, onHold: true },
    { type: 'liveness', success: false, onHold: true },
    { type: 'liveness', success: true, onHold: false },
    { type: 'readiness', success: false, onHold: false },
    { type: 'readiness', success: true, onHold: false },
  ])('after a decided $type (success: $success) the worker rests: $onHold', ({ type, success, onHold }) => {
    const once = { ...probe, failureThreshold: 1 };
    const { worker } = countOutcome({ ...watching, lastOutcome: undefined, run: 0 }, type, once, success);
    expect(worker).toMatchObject({ onHold, run: onHold ? 0 : 1 });
  });

  it('publishes a result only when it differs from the last, and never later than its threshold', () => {
    const thresholds = fc.record({
      successThreshold: fc.integer({ min: 1, max: 4 }),
      failureThreshold: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(thresholds, fc.array(fc.boolean(), { maxLength: 40 }), (numbers, outcomes) => {
        let worker = nextProbeStep(NEW_PROBE_WORKER, 'readiness', pod, { ...up, ready: false }).worker;
        let published = false;
        let run = 0;
        for (const [index, success] of outcomes.entries()) {
          run = outcomes[index - 1] === success ? run + 1 : 1;
          const turn = countOutcome(worker, 'readiness', { ...probe, ...numbers }, success);
          worker = turn.worker;
          const isReached = run >= (success ? numbers.successThreshold : numbers.failureThreshold);
          expect(turn.publish).toBe(isReached && success !== published ? success : undefined);
          published = turn.publish ?? published;
        }
      }),
    );
  });
});
