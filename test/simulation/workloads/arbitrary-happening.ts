import * as fc from 'fast-check';
import type { JsonObject } from '../../../src/api/base/json.ts';
import type { NewObject } from '../../../src/controllers/base/reconcile.ts';
import { OS_LABEL } from './workload-simulation.ts';
import type { Happening, PodProgram, WorkloadScenario } from './workload-scenario.ts';

/** The parts of a scenario that depend on the kind of the workload. */
export interface Draft {
  readonly apiVersion: string;
  readonly kind: string;
  /** With undefined for fields that are left out. */
  readonly spec: fc.Arbitrary<object>;
  /** Changes of the spec by clients. */
  readonly changes: ReadonlyArray<{ readonly weight: number; readonly arbitrary: fc.Arbitrary<JsonObject> }>;
  readonly programs: fc.Arbitrary<readonly PodProgram[]>;
  /** The kinds of objects that clients delete. */
  readonly deletes: ReadonlyArray<'Pod' | 'ReplicaSet' | 'Job'>;
  readonly restsWith: JsonObject;
  /** The longest time between happenings. Default: 4 seconds. */
  readonly pauseMs?: number;
}

/** Some Pods end in the turn in which they begin. */
export const isRejected: fc.Arbitrary<true | undefined> = fc.constantFrom(undefined, undefined, undefined, true);

export const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });

/** A scenario of an object named `web`. */
export function scenarioOf(draft: Draft): fc.Arbitrary<WorkloadScenario> {
  const { apiVersion, kind, restsWith, programs } = draft;
  return fc
    .record({
      spec: draft.spec,
      programs,
      happenings: fc.array(happeningTo(draft), { maxLength: 6 }),
      deletion: fc.constantFrom('Background' as const, 'Background' as const, 'Foreground' as const, 'Orphan' as const),
    })
    .map(({ spec, ...scenario }) => {
      const metadata = { name: 'web', namespace: 'default' };
      const object = JSON.parse(JSON.stringify({ apiVersion, kind, metadata, spec }), withOs) as NewObject;
      return { object, ...scenario, restsWith };
    });
}

/** Gives each Pod template the label of its operating system, by which a node may reject it. */
function withOs(key: string, value: unknown): unknown {
  if (key !== 'template') return value;
  const { metadata, ...template } = value as { readonly metadata?: { readonly labels?: object } };
  return { ...template, metadata: { ...metadata, labels: { ...metadata?.labels, [OS_LABEL]: 'linux' } } };
}

function happeningTo({ kind, changes, deletes, pauseMs = 4000 }: Draft): fc.Arbitrary<Happening> {
  const afterMs = fc.oneof(fc.constantFrom(0, 1), fc.nat(pauseMs));
  const which = fc.nat(5);
  const hasServers = !kind.endsWith('Job');
  return fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ afterMs, does: fc.constant('change' as const), spec: fc.oneof(...changes) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ afterMs, does: fc.constant('delete' as const), kind: fc.constantFrom(...deletes), which }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ afterMs, does: fc.constant('crash' as const), which, exitCode: fc.constantFrom(0, 1) }),
    },
    ...(hasServers
      ? [
          {
            weight: 3,
            arbitrary: fc.record({
              afterMs,
              does: fc.constant('service' as const),
              name: fc.constantFrom('web' as const, 'web' as const, 'unready' as const),
            }),
          },
        ]
      : []),
    // Often, and soon: a Job that counts Pods twice does so only after a death between two writes of one stage.
    {
      weight: 5,
      arbitrary: fc.record({
        afterMs,
        does: fc.constant('kill' as const),
        afterWrites: fc.nat(8),
        withContainers: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ afterMs, does: fc.constant('stop' as const) }) },
  );
}
