import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Probe } from '../../src/api/generated/types.ts';
import {
  awaitsReadiness,
  countOutcome,
  NEW_PROBE_WORKER,
  nextProbeStep,
  PROBE_TYPES,
  type ProbedContainer,
  type ProbedPod,
  type ProbeStep,
  type ProbeType,
  type ProbeWorker,
  tickMs,
} from '../../src/lifecycle/probe.ts';

const probe: Probe = { exec: { command: ['true'] }, periodSeconds: 10, failureThreshold: 3, successThreshold: 1 };
const pod: ProbedPod = { terminating: false, finished: false };
const at = (monotonicMs: number): ProbedContainer['startedAt'] => ({ monotonicMs, wallMs: 1_800_000_000_000 });

/** Runs, has started, is ready. */
const up: ProbedContainer = {
  container: { name: 'main', startupProbe: probe, livenessProbe: probe, readinessProbe: probe },
  instanceId: 'main-0',
  restartCount: 0,
  running: true,
  startedAt: at(1000),
  started: true,
  ready: true,
  willRestart: true,
  restartsAfterKill: true,
};
const starting: ProbedContainer = { ...up, started: false, ready: false };
const ended: ProbedContainer = { ...up, running: false, started: false, ready: false };

/** A worker that has been watching the instance for a while. */
const watching: ProbeWorker = { ...NEW_PROBE_WORKER, instanceId: 'main-0', result: 'success', lastOutcome: 'success' };

describe('nextProbeStep()', () => {
  it.each<{
    name: string;
    types: readonly ProbeType[];
    pod?: Partial<ProbedPod>;
    seen: ProbedContainer;
    worker?: Partial<ProbeWorker>;
    want: ProbeStep['type'];
  }>([
    { name: 'waits for a first instance', types: PROBE_TYPES, seen: { ...ended, instanceId: undefined }, want: 'wait' },
    { name: 'probes startup until the container has started', types: ['startup'], seen: starting, want: 'probe' },
    { name: 'holds the others back until then', types: ['liveness', 'readiness'], seen: starting, want: 'wait' },
    { name: 'probes the others once it has', types: ['liveness', 'readiness'], seen: up, want: 'probe' },
    { name: 'has no more use for startup then', types: ['startup'], seen: up, want: 'wait' },
    { name: 'waits for the restart of a container that ended', types: PROBE_TYPES, seen: ended, want: 'wait' },
    {
      name: 'leaves one that is not restarted',
      types: PROBE_TYPES,
      seen: { ...ended, willRestart: false },
      want: 'exit',
    },
    { name: 'waits while on hold', types: PROBE_TYPES, seen: up, worker: { onHold: true }, want: 'wait' },
    {
      name: 'waits on hold even when the container has ended for good',
      types: PROBE_TYPES,
      seen: { ...ended, willRestart: false },
      worker: { onHold: true },
      want: 'wait',
    },
    { name: 'leaves a finished Pod', types: PROBE_TYPES, pod: { finished: true }, seen: up, want: 'exit' },
    {
      name: 'probes readiness while the Pod goes down',
      types: ['readiness'],
      pod: { terminating: true },
      seen: up,
      want: 'probe',
    },
    {
      name: 'stops liveness when the Pod goes down',
      types: ['liveness'],
      pod: { terminating: true },
      seen: up,
      want: 'exit',
    },
    {
      name: 'stops startup when the Pod goes down',
      types: ['startup'],
      pod: { terminating: true },
      seen: starting,
      want: 'exit',
    },
  ])('$name', ({ types, pod: change, seen, worker, want }) => {
    for (const type of types) {
      const turn = nextProbeStep({ ...watching, ...worker }, type, { ...pod, ...change }, seen);
      expect({ type, step: turn.step.type }).toEqual({ type, step: want });
    }
  });

  it('takes an instance for alive, not ready and not started until its probes have spoken', () => {
    const results = PROBE_TYPES.map((type) => nextProbeStep(NEW_PROBE_WORKER, type, pod, starting).worker.result);
    expect(results).toEqual(['unknown', 'success', 'failure']);
  });

  it('forgets the result of an older instance, but not the outcomes it has counted', () => {
    const before: ProbeWorker = {
      instanceId: 'main-0',
      result: 'failure',
      onHold: true,
      lastOutcome: 'failure',
      run: 2,
    };
    const { worker } = nextProbeStep(before, 'liveness', pod, { ...up, instanceId: 'main-1' });
    expect(worker).toEqual({ instanceId: 'main-1', result: 'success', onHold: false, lastOutcome: 'failure', run: 2 });
  });

  it('calls a container started when its Pod goes down before it has started', () => {
    const worker: ProbeWorker = { ...watching, result: 'unknown' };
    const turn = nextProbeStep(worker, 'startup', { ...pod, terminating: true }, starting);
    expect(turn).toMatchObject({ publish: true, step: { type: 'exit' } });
  });

  it('says nothing new about a live container whose Pod goes down', () => {
    const turn = nextProbeStep(watching, 'liveness', { ...pod, terminating: true }, up);
    expect(turn.publish).toBeUndefined();
  });

  it.each([
    { initialDelaySeconds: 0, earliestMs: Number.NEGATIVE_INFINITY },
    { initialDelaySeconds: 1, earliestMs: 1500 },
    { initialDelaySeconds: 10, earliestMs: 10_500 },
  ])('counts a delay of $initialDelaySeconds s from the start, to the nearest second', (row) => {
    const delayed = { ...probe, initialDelaySeconds: row.initialDelaySeconds };
    const seen = { ...up, container: { name: 'main', livenessProbe: delayed } };
    const { step } = nextProbeStep(watching, 'liveness', pod, seen);
    expect(step).toEqual({ type: 'probe', notBeforeMs: row.earliestMs });
  });

  it('asked again about the same, answers the same and publishes nothing', () => {
    fc.assert(
      fc.property(anyWorker, anyType, anyPod, anySeen, (worker, type, somePod, seen) => {
        const first = nextProbeStep(worker, type, somePod, seen);
        const second = nextProbeStep(first.worker, type, somePod, seen);
        expect(second).toEqual({ ...first, publish: undefined });
      }),
    );
  });

  it('never probes what does not run, nor before it has started, except for startup', () => {
    fc.assert(
      fc.property(anyWorker, anyType, anyPod, anySeen, (worker, type, somePod, seen) => {
        if (nextProbeStep(worker, type, somePod, seen).step.type !== 'probe') return;
        expect(seen.running).toBe(true);
        expect(seen.started).toBe(type !== 'startup');
      }),
    );
  });
});

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
        let worker = nextProbeStep(NEW_PROBE_WORKER, 'readiness', pod, up).worker;
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

describe('awaitsReadiness()', () => {
  it.each([
    { name: 'a started container that is not ready', seen: { ...up, ready: false }, want: true },
    { name: 'a ready one', seen: up, want: false },
    { name: 'one that has not started', seen: starting, want: false },
    { name: 'one that has ended', seen: ended, want: false },
  ])('$name: $want', ({ seen, want }) => {
    expect(awaitsReadiness('readiness', seen)).toBe(want);
    expect(awaitsReadiness('liveness', seen)).toBe(false);
  });
});

describe('tickMs()', () => {
  it('is the first tick after one moment and not before another', () => {
    const ms = fc.integer({ min: 0, max: 100_000 });
    fc.assert(
      fc.property(ms, fc.integer({ min: 1, max: 20 }), ms, ms, (originMs, seconds, afterMs, notBeforeMs) => {
        const periodMs = seconds * 1000;
        const tick = tickMs({ originMs, periodMs }, afterMs, notBeforeMs);
        // In JavaScript -0 and 0 differ.
        expect(Math.abs((tick - originMs) % periodMs)).toBe(0);
        expect(tick).toBeGreaterThan(afterMs);
        expect(tick).toBeGreaterThanOrEqual(notBeforeMs);
        expect(tick - periodMs > afterMs && tick - periodMs >= notBeforeMs).toBe(false);
      }),
    );
  });

  it('knows no delay when there is none', () => {
    expect(tickMs({ originMs: 5, periodMs: 1000 }, 5, Number.NEGATIVE_INFINITY)).toBe(1005);
  });
});

const anyType = fc.constantFrom(...PROBE_TYPES);
const anyPod: fc.Arbitrary<ProbedPod> = fc.record({ terminating: fc.boolean(), finished: fc.boolean() });
const anyWorker: fc.Arbitrary<ProbeWorker> = fc.record({
  instanceId: fc.constantFrom(undefined, 'main-0', 'main-1'),
  result: fc.constantFrom('unknown', 'success', 'failure'),
  onHold: fc.boolean(),
  lastOutcome: fc.constantFrom(undefined, 'success', 'failure'),
  run: fc.nat(5),
});
const anySeen: fc.Arbitrary<ProbedContainer> = fc.record({
  container: fc.constant(up.container),
  instanceId: fc.constantFrom(undefined, 'main-0', 'main-1'),
  restartCount: fc.nat(5),
  running: fc.boolean(),
  startedAt: fc.constantFrom(undefined, at(1000)),
  started: fc.boolean(),
  ready: fc.boolean(),
  willRestart: fc.boolean(),
  restartsAfterKill: fc.boolean(),
});
