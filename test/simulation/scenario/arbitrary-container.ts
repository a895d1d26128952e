import * as fc from 'fast-check';
import type { Container, ContainerRestartRule, LifecycleHandler, Probe } from '../../../src/api/generated/types.ts';
import type { Command, Program, Purpose } from './scenario.ts';

/** A container with the behaviour of its program and commands. */
export interface Part {
  readonly container: Container;
  readonly programs: readonly Program[];
  readonly commands: Readonly<Partial<Record<Purpose, readonly Command[]>>>;
}

/** The list of the Pod in which a container stands. It decides which fields are valid. */
export type Kind = 'init' | 'sidecar' | 'regular';

const exitCode = fc.constantFrom(0, 0, 1, 42);

/** Absent most of the time: a Pod with every feature at once tests little. */
function sometimes<T>(arbitrary: fc.Arbitrary<T>, oneIn: number): fc.Arbitrary<T | undefined> {
  return fc.oneof({ arbitrary: fc.constant(undefined), weight: oneIn - 1 }, { arbitrary, weight: 1 });
}

/** The same object without the fields that are undefined. */
export function withoutAbsent<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const present = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [K in keyof T]: Exclude<T[K], undefined> };
}

const onStop = fc.oneof(
  fc.constant('ignores' as const),
  fc.record({ exitsAfterMs: fc.constantFrom(0, 300, 1500, 4000), exitCode }),
);

const exitsAfterMs = fc.constantFrom(0, 30, 900, 2500, 20_000, 700_000);

function program(kind: Kind): fc.Arbitrary<Program> {
  return fc
    .record({
      startDelayMs: sometimes(fc.constantFrom(5, 700), 8),
      failsToStart: sometimes(fc.constant(true as const), 12),
      exitsAfterMs: kind === 'init' ? fc.oneof(exitsAfterMs, fc.constant(100)) : sometimes(exitsAfterMs, 2),
      exitCode,
      oomKilled: sometimes(fc.constant(true as const), 20),
      onStop: sometimes(onStop, 2),
      sweepMs: sometimes(fc.constantFrom(1, 400), 8),
      exitReportedAfterMs: sometimes(fc.constantFrom(1, 800), 12),
      exitReportedTwice: sometimes(fc.constant(true as const), 12),
    })
    .map((all) => withoutAbsent(all) as Program);
}

const command: fc.Arbitrary<Command> = fc.oneof(
  { arbitrary: fc.record({ exitCode: fc.constant(0) }), weight: 6 },
  { arbitrary: fc.record({ exitCode: fc.constant(1) }), weight: 4 },
  { arbitrary: fc.record({ exitCode: fc.constantFrom(0, 1), afterMs: fc.constantFrom(200, 1400, 3000) }), weight: 2 },
  { arbitrary: fc.constant('hangs' as const), weight: 1 },
  { arbitrary: fc.constant('fails' as const), weight: 1 },
);

const commandRuns = fc.array(command, { minLength: 1, maxLength: 5 });

function probe(purpose: 'startup' | 'liveness' | 'readiness'): fc.Arbitrary<Probe> {
  return fc
    .record({
      periodSeconds: fc.constantFrom(1, 2, 10),
      failureThreshold: fc.constantFrom(1, 2, 3),
      successThreshold: purpose === 'readiness' ? fc.constantFrom(1, 2) : fc.constant(1),
      initialDelaySeconds: sometimes(fc.constantFrom(1, 5), 3),
      timeoutSeconds: fc.constantFrom(1, 2),
      terminationGracePeriodSeconds:
        purpose === 'readiness' ? fc.constant(undefined) : sometimes(fc.constantFrom(1, 15), 4),
    })
    .map((numbers) => ({ exec: { command: [purpose] }, ...withoutAbsent(numbers) }));
}

function hook(purpose: 'postStart' | 'preStop'): fc.Arbitrary<LifecycleHandler> {
  return fc.oneof(
    { arbitrary: fc.constant<LifecycleHandler>({ exec: { command: [purpose] } }), weight: 3 },
    { arbitrary: fc.record({ sleep: fc.record({ seconds: fc.constantFrom(0, 1) }) }), weight: 1 },
  );
}

const rule: fc.Arbitrary<ContainerRestartRule> = fc.record({
  action: fc.constantFrom('Restart', 'RestartAllContainers'),
  exitCodes: fc.record({
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.constantFrom([42], [1, 42], [0]),
  }),
});

const policies: Readonly<Record<Kind, fc.Arbitrary<string | undefined>>> = {
  init: sometimes(fc.constantFrom('Never', 'OnFailure'), 4),
  sidecar: fc.constant('Always'),
  regular: sometimes(fc.constantFrom('Always', 'OnFailure', 'Never'), 4),
};

/** A container of this kind, without fields that are invalid in init containers. */
export function part(kind: Kind): fc.Arbitrary<Omit<Part, 'container'> & { readonly fields: Omit<Container, 'name'> }> {
  const only = <T>(arbitrary: fc.Arbitrary<T>, oneIn: number): fc.Arbitrary<T | undefined> =>
    kind === 'init' ? fc.constant(undefined) : sometimes(arbitrary, oneIn);
  return fc
    .record({
      restartPolicy: policies[kind],
      rules: sometimes(fc.array(rule, { minLength: 1, maxLength: 2 }), 3),
      startup: only(probe('startup'), 4),
      liveness: only(probe('liveness'), 4),
      readiness: only(probe('readiness'), 4),
      postStart: only(hook('postStart'), 6),
      preStop: only(hook('preStop'), 5),
      stopSignal: only(fc.constantFrom('SIGINT', 'SIGUSR1'), 10),
      programs: fc.array(program(kind), { minLength: 1, maxLength: 4 }),
      commands: fc.record({
        startup: commandRuns,
        liveness: commandRuns,
        readiness: commandRuns,
        postStart: commandRuns,
        preStop: commandRuns,
      }),
    })
    .map(({ restartPolicy, rules, startup, liveness, readiness, postStart, preStop, ...rest }) => {
      const { stopSignal, programs, commands } = rest;
      const lifecycle = withoutAbsent({ postStart, preStop, stopSignal });
      const used = { startup, liveness, readiness, postStart, preStop };
      const purposes = (Object.keys(used) as Purpose[]).filter((purpose) => {
        const user = used[purpose];
        return user !== undefined && 'exec' in user;
      });
      return {
        fields: withoutAbsent({
          image: 'app:1',
          imagePullPolicy: 'IfNotPresent',
          restartPolicy,
          restartPolicyRules: restartPolicy === undefined ? undefined : rules,
          startupProbe: startup,
          livenessProbe: liveness,
          readinessProbe: readiness,
          lifecycle: Object.keys(lifecycle).length === 0 ? undefined : lifecycle,
        }),
        programs,
        commands: Object.fromEntries(purposes.map((purpose) => [purpose, commands[purpose]])),
      };
    });
}
