import { afterEach, beforeEach, expect, it } from 'vitest';
import type { PodMachine } from '../../src/kubelet/pod-machine.ts';
import type { PodSpec, PodStatus } from '../../src/api/generated/types.ts';
import type { KubeObject, StoredPod } from '../../src/api/base/objects.ts';
import { onDefect } from '../../src/defects.ts';
import type { Runtime } from '../../src/runtime/base/runtime.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { MemoryStore } from '../../src/simulation/memory-store.ts';
import { SimulatedAgent } from '../../src/simulation/simulated-agent.ts';
import { simulatedMachine } from '../../src/simulation/simulated-machine.ts';
import type { ProgramBehaviour } from '../../src/simulation/read-program.ts';
import { SimulatedRuntime } from '../../src/simulation/simulated-runtime.ts';
import type { ObjectKey, ObjectPart, Resource, Storable, Subscription } from '../../src/store/base/store.ts';
import { podWith } from '../lifecycle/base-objects.ts';

const METHODS = Object.keys(simulatedMachine()) as (keyof PodMachine)[];
/** Those that the Pod of these tests does not call. */
const UNUSED: ReadonlySet<string> = new Set([
  'adopted',
  'restore',
  'startFailed',
  'ensureImage',
  'output',
  'limitsOf',
  'measureStorage',
]);
const CALLED = METHODS.filter((name) => !UNUSED.has(name));
/** Those that answer a promise. */
const PROMISING: ReadonlySet<string> = new Set(['createSandbox', 'removeSandbox', 'prepare', 'runHook', 'runProbe']);
/** Those for whose results no Pod waits: it goes on. */
const PASSING: ReadonlySet<string> = new Set(['removeSandbox']);

const exec = { exec: { command: ['true'] } };

/** A Pod with hooks and a probe that ends by itself after 5 seconds. */
const SPEC = {
  restartPolicy: 'Never',
  containers: [
    {
      name: 'main',
      image: 'main',
      lifecycle: { postStart: exec, preStop: exec },
      readinessProbe: { ...exec, periodSeconds: 1 },
    },
    { name: 'other', image: 'other' },
  ],
} as const;

let told: unknown[];
let former: ReturnType<typeof onDefect>;

beforeEach(() => {
  told = [];
  former = onDefect((defect) => void told.push(defect));
});

afterEach(() => {
  onDefect(former);
});

/** The parts of the world that are broken. */
interface Broken {
  readonly machine?: Partial<PodMachine>;
  readonly runtime?: Partial<Runtime>;
  /** Called before each write of a status. */
  readonly beforeStatus?: (pod: StoredPod) => void;
}

interface Life {
  readonly status: PodStatus;
  readonly isOver: boolean;
  /** The containers that still run. */
  readonly running: readonly string[];
}

/** The life of the Pod for an hour, in which nobody ends it. */
async function lifeWith({ machine = {}, runtime = {}, beforeStatus = () => undefined }: Broken): Promise<Life> {
  const clock = new ManualClock();
  const store = new (class extends MemoryStore {
    override change<T extends Storable = KubeObject>(
      ...[resource, key, part, change, writer]: [Resource, ObjectKey, ObjectPart, (stored: T) => T, Subscription?]
    ): T {
      const changed = (stored: T): T => {
        const next = change(stored);
        if (part === 'status') beforeStatus(next as unknown as StoredPod);
        return next;
      };
      return super.change(resource, key, part, changed, writer);
    }
  })(clock);
  const behave = (name: string): ProgramBehaviour => ({ exitAfterMs: name === 'main' ? 5000 : 8000 });
  const simulated = new SimulatedRuntime({ clock, behave });
  const agent = new SimulatedAgent({
    store,
    clock,
    suffix: () => 'x',
    newUid: () => 'uid',
    runtimeOf: () => ({
      start: runtime.start ?? ((launch) => simulated.start(launch)),
      exec: runtime.exec ?? ((request) => simulated.exec(request)),
      startExec: () => simulated.startExec(),
    }),
    machine,
  });
  const { status: _, ...unborn } = podWith(SPEC as unknown as PodSpec);
  const { metadata } = store.create('pods', { ...unborn, status: { phase: 'Pending', qosClass: 'BestEffort' } });
  const stored = (): StoredPod => store.get('pods', metadata.namespace, metadata.name) as StoredPod;
  agent.run(stored());
  await clock.run(3_600_000);
  agent.close();
  return { status: stored().status, isOver: agent.hasStopped, running: simulated.runningNames };
}

/** The end of a Pod after a defect with this message. */
function brokenBy(message: string): unknown {
  const status: unknown = expect.objectContaining({
    phase: 'Failed',
    reason: 'PodrunDefect',
    message: `podrun has a defect: ${message}`,
  });
  return { status, isOver: true, running: [] };
}

it('without a defect, the Pod succeeds, and calls every method of these tests', async () => {
  const called = new Set<string>();
  const { status, isOver } = await lifeWith({
    machine: Object.fromEntries(METHODS.map((name) => [name, noting(name)])),
  });
  expect({ phase: status.phase, isOver }).toEqual({ phase: 'Succeeded', isOver: true });
  expect([...called].toSorted()).toEqual(METHODS.filter((name) => !UNUSED.has(name)).toSorted());

  function noting(name: keyof PodMachine): unknown {
    const method = simulatedMachine()[name] as (...args: unknown[]) => unknown;
    return (...args: unknown[]) => {
      called.add(name);
      return method(...args);
    };
  }
});

it.each(
  CALLED.flatMap((name) => [['throws', name] as const, ...(PROMISING.has(name) ? [['rejects', name] as const] : [])]),
)('a machine that %s in %s ends the Pod, and the defect is told once', async (how, name) => {
  const defect = new TypeError(`no ${name}`);
  const fail = (): Promise<never> => {
    if (how === 'throws') throw defect;
    return Promise.reject(defect);
  };
  const life = await lifeWith({ machine: { [name]: fail } });
  const unharmed: unknown = { isOver: true, running: [], status: expect.objectContaining({ phase: 'Succeeded' }) };
  expect(life).toEqual(PASSING.has(name) ? unharmed : brokenBy(`no ${name}`));
  expect(new Set(told)).toEqual(new Set([defect]));
});

it.each(['start', 'exec'] as const)('a runtime that rejects in %s ends the Pod', async (name) => {
  const defect = new TypeError(`no ${name}`);
  expect(await lifeWith({ runtime: { [name]: () => Promise.reject(defect) } })).toEqual(brokenBy(`no ${name}`));
  expect(told).toEqual([defect]);
});

it.each(['Pending', 'Running', 'Succeeded'])(
  'a defect in the loop of the Pod, at the phase %s, ends it',
  async (phase) => {
    const defect = new TypeError('no status');
    const beforeStatus = ({ status }: StoredPod): void => {
      if (status.phase === phase) throw defect;
    };
    expect(await lifeWith({ beforeStatus })).toEqual(brokenBy('no status'));
    expect(told).toEqual([defect]);
  },
);

it('a Pod whose end cannot be written is over', async () => {
  const defect = new TypeError('no status');
  const life = await lifeWith({
    beforeStatus: () => {
      throw defect;
    },
  });
  expect(life).toMatchObject({ isOver: true, running: [] });
  expect(new Set(told)).toEqual(new Set([defect]));
});
