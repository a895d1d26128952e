import * as fc from 'fast-check';
import type { NewObject } from '../../../src/controllers/base/reconcile.ts';
import type { PodProgram } from '../workloads/workload-scenario.ts';

/** Objects that are applied with a goal, and all that happens to them: plain data, to print, shrink and replay. */
export interface VerdictScenario {
  /** The applied objects: the first is the oldest. */
  readonly objects: readonly NewObject[];
  /** The programs of the first, second, … Pod. They begin again after the last one. */
  readonly programs: readonly PodProgram[];
  /** The values of `--until`. Empty: none, or the goal of a COMMAND by default. */
  readonly until: readonly string[];
  readonly command: { readonly durationMs: number; readonly exitCode: number } | undefined;
  readonly settleMs: number;
  readonly allowRestarts: boolean;
  readonly happenings: readonly VerdictHappening[];
}

/**
 * An action of a client, a crash, or a change of the answer to probes, so long after the one before it. `deleteFailed`:
 * from now on a client deletes each Job as soon as it has Failed.
 */
export interface VerdictHappening {
  readonly afterMs: number;
  readonly does: 'crash' | 'readiness' | 'deletePod' | 'deleteRoot' | 'deleteFailed' | 'scale' | 'rollOut';
  readonly which: number;
}

const labels = { app: 'web' };
const SECONDS_MAX = 8;

const main = { name: 'main', image: 'busybox' };
/** A probe that succeeds unless a happening says otherwise. */
const readinessProbe = { exec: { command: ['ready'] }, periodSeconds: 1, failureThreshold: 1 };
const containersOf: fc.Arbitrary<readonly object[]> = fc.constantFrom([main], [{ ...main, readinessProbe }]);

const pod = fc
  .record({ restartPolicy: fc.constantFrom('Always', 'Never', 'OnFailure'), containers: containersOf })
  .map((spec) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { labels },
    spec: { ...spec, terminationGracePeriodSeconds: 1 },
  }));

const server = fc
  .record({
    kind: fc.constantFrom('Deployment', 'Deployment', 'ReplicaSet', 'StatefulSet'),
    replicas: fc.nat(2),
    containers: containersOf,
  })
  .map(({ kind, replicas, containers }) => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: {},
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers, terminationGracePeriodSeconds: 1 } },
      ...(kind === 'StatefulSet' && { serviceName: 'web' }),
      ...(kind === 'Deployment' && { progressDeadlineSeconds: 5 }),
    },
  }));
const job = fc
  .record({ backoffLimit: fc.nat(1), restartPolicy: fc.constantFrom('Never', 'OnFailure') })
  .map((spec) => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {},
    spec: {
      backoffLimit: spec.backoffLimit,
      template: { spec: { restartPolicy: spec.restartPolicy, containers: [main], terminationGracePeriodSeconds: 1 } },
    },
  }));
const service = fc.constant({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {},
  spec: { selector: labels, ports: [{ port: 80 }] },
});

const exits = fc.constantFrom(undefined, 1, 1, 2);
const stopsAfterMs = fc.nat(1500);
const program: fc.Arbitrary<PodProgram> = fc.record({
  startDelayMs: fc.nat(1500),
  exitAfterMs: fc.oneof(fc.constantFrom(undefined, undefined, 0, 17, 999, 1000, 1001), fc.nat(SECONDS_MAX * 1000)),
  exitCode: fc.constantFrom(0, 0, 1),
  exits,
  stopsAfterMs,
});
/** A program that becomes Ready, and stays so for a while. */
const calmProgram: fc.Arbitrary<PodProgram> = fc.record({
  startDelayMs: fc.constant(0),
  exitAfterMs: fc.oneof(fc.constant(undefined), fc.integer({ min: 1500, max: SECONDS_MAX * 1000 })),
  exitCode: fc.constantFrom(0, 1),
  exits,
  stopsAfterMs,
});

const does = fc.constantFrom(
  ...(['crash', 'crash', 'readiness', 'deletePod', 'deleteRoot', 'deleteFailed', 'scale', 'rollOut'] as const),
);
const which = fc.nat(5);
const happening: fc.Arbitrary<VerdictHappening> = fc.record({
  afterMs: fc.oneof(fc.constantFrom(0, 1), fc.nat(4000)),
  does,
  which,
});
const lateHappening: fc.Arbitrary<VerdictHappening> = fc.record({
  afterMs: fc.integer({ min: 1100, max: 4000 }),
  does: fc.constantFrom('readiness' as const, 'deleteFailed', 'readiness', 'deleteFailed', 'deleteFailed', 'scale'),
  which,
});

const commandExit = fc.constantFrom(0, 0, 0, 7);

/** Two roots of one kind would have each other's Pods by their labels. */
const objects = fc
  .uniqueArray(fc.oneof(pod, server, job, job, service), {
    minLength: 1,
    maxLength: 4,
    selector: ({ kind }) => (['Deployment', 'ReplicaSet', 'StatefulSet'].includes(kind) ? 'server' : kind),
  })
  .map((some) =>
    some.map((object): NewObject => {
      const metadata = { ...object.metadata, name: object.kind.toLowerCase(), namespace: 'default' };
      return JSON.parse(JSON.stringify({ ...object, metadata })) as NewObject;
    }),
  );
const allowRestarts = fc.constantFrom(false, false, true);

/** Any objects with any goal. */
const anyVerdict: fc.Arbitrary<VerdictScenario> = fc.record({
  objects,
  programs: fc.array(program, { minLength: 1, maxLength: 4 }),
  until: fc.constantFrom([], [], ['ready'], ['up'], ['available'], ['complete'], ['failed'], ['ready', 'complete']),
  command: fc.option(fc.record({ durationMs: fc.nat(6000), exitCode: commandExit }), { nil: undefined }),
  settleMs: fc.constantFrom(1000, 1000, 0),
  allowRestarts,
  happenings: fc.array(happening, { maxLength: 4 }),
});

/** Objects that become Ready, and a long COMMAND, in which little happens: few of `anyVerdict` come so far. */
const lateVerdict: fc.Arbitrary<VerdictScenario> = fc.record({
  objects,
  programs: fc.array(calmProgram, { minLength: 1, maxLength: 4 }),
  until: fc.constantFrom(['ready'], ['available']),
  command: fc.record({ durationMs: fc.integer({ min: 3000, max: 10_000 }), exitCode: commandExit }),
  settleMs: fc.constant(1000),
  allowRestarts,
  happenings: fc.array(lateHappening, { minLength: 1, maxLength: 2 }),
});

export const arbitraryVerdict: fc.Arbitrary<VerdictScenario> = fc.oneof(anyVerdict, lateVerdict);
