import * as fc from 'fast-check';
import type { Container, LifecycleHandler } from '../../../src/api/generated/types.ts';
import { type Part, part, withoutAbsent } from './arbitrary-container.ts';
import type { Faults, Happening, Scenario } from './scenario.ts';

type Parts = { readonly init: readonly Part[]; readonly regular: readonly Part[] };

const initPart = fc.oneof(part('init'), part('sidecar'));

const parts: fc.Arbitrary<Parts> = fc
  .record({
    init: fc.array(initPart, { maxLength: 3 }),
    regular: fc.array(part('regular'), { minLength: 1, maxLength: 3 }),
  })
  .map(({ init, regular }) => ({
    init: init.map(({ fields, ...rest }, index) => {
      const kind = fields.restartPolicy === 'Always' ? 'sidecar' : 'init';
      return { ...rest, container: { name: `${kind}-${index}`, ...fields } };
    }),
    regular: regular.map(({ fields, ...rest }, index) => ({
      ...rest,
      container: { name: `main-${index}`, ...fields },
    })),
  }));

const maybe = <T>(arbitrary: fc.Arbitrary<T>, freq: number): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { freq, nil: undefined }).map((value) => value);

const GATE = 'example.com/ready';

const podFields = fc.record({
  restartPolicy: fc.constantFrom('Always', 'OnFailure', 'Never'),
  terminationGracePeriodSeconds: fc.constantFrom(30, 1, 3, 0, 600),
  activeDeadlineSeconds: fc.constantFrom(undefined, undefined, undefined, 1, 20, 90),
  readinessGates: fc.constantFrom(undefined, undefined, undefined, [{ conditionType: GATE }]),
  schedulingGates: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, [
    { name: 'example.com/wait' },
  ]),
});

/** The ephemeral container that may be added, and its program. */
const DEBUGGER = 'debugger';
const debuggerPart = part('init');

/** The index of a container, modulo their number. */
const which = fc.nat({ max: 5 });

type Draft<T> = (nameOf: (index: number) => string) => T;

const atMs = fc.oneof(fc.constantFrom(0, 1, 1000, 2500, 10_000, 12_000), fc.nat({ max: 60_000 }));

const happening: fc.Arbitrary<Draft<Happening | readonly Happening[]>> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(atMs, fc.constantFrom(undefined, 1, 5, 40)).map(deletion) },
  { weight: 2, arbitrary: fc.tuple(atMs, fc.constantFrom(1, 1300, 6000), fc.constantFrom(1, 5)).map(hurriedDeletion) },
  { weight: 1, arbitrary: atMs.map((at) => () => ({ atMs: at, does: 'deleteByForce' as const })) },
  {
    weight: 2,
    arbitrary: fc.tuple(atMs, fc.boolean()).map(([at, byForce]) => () => ({ atMs: at, does: 'end' as const, byForce })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(atMs, which, fc.constantFrom('app:2', 'app:3'))
      .map(([at, index, image]) => (nameOf: (index: number) => string) => ({
        atMs: at,
        does: 'changeImage' as const,
        container: nameOf(index),
        image,
      })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(atMs, fc.constantFrom(1, 15, 50)).map(([at, seconds]) => () => ({
      atMs: at,
      does: 'lowerDeadline' as const,
      seconds,
    })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(atMs, fc.constantFrom('1', '2')).map(
      ([at, value]) =>
        () =>
          label(at, value),
    ),
  },
  { weight: 1, arbitrary: atMs.map((at) => () => ({ atMs: at, does: 'ungate' as const })) },
  { weight: 2, arbitrary: fc.tuple(atMs, fc.constantFrom('True', 'False')).map(gateSet) },
  {
    weight: 1,
    arbitrary: atMs.map((at) => () => ({ atMs: at, does: 'debug' as const, container: DEBUGGER })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(atMs, fc.constantFrom(3_600_000, -3_600_000, 1, -1)).map(([at, byMs]) => () => ({
      atMs: at,
      does: 'jumpClock' as const,
      byMs,
    })),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(atMs, which, fc.constantFrom(1, 42, 139))
      .map(([at, index, exitCode]) => (nameOf: (index: number) => string) => ({
        atMs: at,
        does: 'crash' as const,
        container: nameOf(index),
        exitCode,
      })),
  },
);

function deletion([at, graceSeconds]: [number, number | undefined]): Draft<Happening> {
  return () => ({ atMs: at, does: 'delete', ...(graceSeconds === undefined ? {} : { graceSeconds }) });
}

/** A deletion, and a second one with a shorter grace period. */
function hurriedDeletion([at, laterMs, graceSeconds]: [number, number, number]): Draft<readonly Happening[]> {
  return () => [
    { atMs: at, does: 'delete' },
    { atMs: at + laterMs, does: 'delete', graceSeconds },
  ];
}

function gateSet([at, status]: [number, 'True' | 'False']): Draft<Happening> {
  return () => ({ atMs: at, does: 'setCondition', type: GATE, status });
}

function label(at: number, value: string): Happening {
  return { atMs: at, does: 'label', value };
}

/** A container whose ConfigMap or image is missing for a while. */
const missing = maybe(fc.record({ which, untilMs: fc.constantFrom(100, 11_000, 45_000) }), 8);

const faults: fc.Arbitrary<Draft<Faults>> = fc
  .record({
    sandboxFailures: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, 1, 2),
    sandboxMs: fc.constantFrom(undefined, undefined, undefined, 3, 1200),
    config: missing,
    image: missing,
  })
  .map(
    ({ sandboxFailures, sandboxMs, config, image }) =>
      (nameOf: (index: number) => string) =>
        withoutAbsent({
          sandboxFailures,
          sandboxMs,
          configMissingUntilMs: config && { [nameOf(config.which)]: config.untilMs },
          imageAbsentUntilMs: image && { [nameOf(image.which)]: image.untilMs },
        }),
  );

/** Random Pods in a random environment. */
export const arbitraryScenario: fc.Arbitrary<Scenario> = fc
  .record({
    parts,
    podFields,
    faults,
    debugger: debuggerPart,
    happenings: fc.array(happening, { maxLength: 4 }),
    lastsMs: fc.constantFrom(0, 1000, 15_000, 60_000, 60_000, 60_000, 400_000, 1_500_000),
  })
  .map((drawn) => {
    const all = [...drawn.parts.init, ...drawn.parts.regular];
    const nameOf = (index: number): string => all[index % all.length]!.container.name;
    const { terminationGracePeriodSeconds: grace } = drawn.podFields;
    const initContainers = drawn.parts.init.map(({ container }) => withShortSleeps(container, grace));
    const happenings = onlyOneDebugger(drawn.happenings.flatMap((draft) => draft(nameOf)));
    const hasDebugger = happenings.some(({ does }) => does === 'debug');
    return plainData({
      spec: withoutAbsent({
        ...drawn.podFields,
        // Stop signals depend on the operating system: a Pod with a stop signal must name its own.
        os: all.some(({ container }) => container.lifecycle?.stopSignal) ? { name: 'linux' } : undefined,
        initContainers: initContainers.length === 0 ? undefined : initContainers,
        containers: drawn.parts.regular.map(({ container }) => withShortSleeps(container, grace)),
      }),
      programs: {
        ...Object.fromEntries(all.map(({ container, programs }) => [container.name, programs])),
        ...(hasDebugger ? { [DEBUGGER]: drawn.debugger.programs } : {}),
      },
      commands: Object.fromEntries(all.map(({ container, commands }) => [container.name, commands])),
      faults: drawn.faults(nameOf),
      happenings,
      lastsMs: drawn.lastsMs,
    });
  });

/** Shortens sleeps: validation rejects a sleep beyond the grace period. */
function withShortSleeps(container: Container, graceSeconds: number): Container {
  const { postStart, preStop, stopSignal } = container.lifecycle ?? {};
  const short = ({ sleep, ...other }: LifecycleHandler): LifecycleHandler =>
    sleep === undefined ? other : { sleep: { seconds: Math.min(sleep.seconds, graceSeconds) } };
  const hooks = { postStart: postStart && short(postStart), preStop: preStop && short(preStop) };
  const lifecycle = withoutAbsent({ ...hooks, stopSignal });
  return container.lifecycle === undefined ? container : { ...container, lifecycle };
}

/** Sorts happenings by time and keeps one ephemeral container: its name must be unique. */
function onlyOneDebugger(happenings: readonly Happening[]): Happening[] {
  const inOrder = happenings.toSorted((a, b) => a.atMs - b.atMs);
  const first = inOrder.find(({ does }) => does === 'debug');
  return inOrder.filter((one) => one.does !== 'debug' || one === first);
}

/** Copies objects as if from a manifest: drawn objects may be shared or have no prototype. */
function plainData(scenario: object): Scenario {
  return JSON.parse(JSON.stringify(scenario)) as Scenario;
}
