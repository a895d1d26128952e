import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  awaitsReadiness,
  NEW_PROBE_WORKER,
  nextProbeStep,
  PROBE_TYPES,
  type ProbedContainer,
  type ProbedPod,
  type ProbeStep,
  type ProbeType,
  type ProbeWorker,
} from '../../../src/lifecycle/probes/probe.ts';
import { at, ended, pod, probe, starting, up, watching } from '../probed.ts';

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
    { name: 'holds back the other probes until then', types: ['liveness', 'readiness'], seen: starting, want: 'wait' },
    { name: 'begins the other probes once it has', types: ['liveness', 'readiness'], seen: up, want: 'probe' },
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
    { name: 'leaves a finished Pod', types: PROBE_TYPES, pod: { stage: 'finished' }, seen: up, want: 'exit' },
    {
      name: 'probes readiness while the Pod goes down',
      types: ['readiness'],
      pod: { stage: 'terminating' },
      seen: up,
      want: 'probe',
    },
    {
      name: 'stops liveness when the Pod goes down',
      types: ['liveness'],
      pod: { stage: 'terminating' },
      seen: up,
      want: 'exit',
    },
    {
      name: 'stops startup when the Pod goes down',
      types: ['startup'],
      pod: { stage: 'terminating' },
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
    const turn = nextProbeStep(worker, 'startup', { stage: 'terminating' }, starting);
    expect(turn).toMatchObject({ publish: true, step: { type: 'exit' } });
  });

  it('publishes nothing about a live container of a terminating Pod', () => {
    const turn = nextProbeStep(watching, 'liveness', { stage: 'terminating' }, up);
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

  it('asked again about the same, returns the same and publishes nothing', () => {
    fc.assert(
      fc.property(anyWorker, anyType, anyPod, anySeen, (worker, type, somePod, seen) => {
        const first = nextProbeStep(worker, type, somePod, seen);
        const second = nextProbeStep(first.worker, type, somePod, seen);
        expect(second).toEqual({ ...first, publish: undefined });
      }),
    );
  });

  it('probes only running containers, and before their start only for startup', () => {
    fc.assert(
      fc.property(anyWorker, anyType, anyPod, anySeen, (worker, type, somePod, seen) => {
        if (nextProbeStep(worker, type, somePod, seen).step.type !== 'probe') return;
        expect(seen.running).toBe(true);
        expect(seen.started).toBe(type !== 'startup');
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

const anyType = fc.constantFrom(...PROBE_TYPES);
const anyPod: fc.Arbitrary<ProbedPod> = fc.record({ stage: fc.constantFrom('running', 'terminating', 'finished') });
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
