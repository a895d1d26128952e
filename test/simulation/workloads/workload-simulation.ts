import { requestDeletion } from '../../../src/agent/clean-up/request-deletion.ts';
import { deleteRecord } from '../../../src/agent/clean-up/delete-record.ts';
import { runHook } from '../../../src/agent/hooks/hooks.ts';
import { PodRun } from '../../../src/agent/pod-run.ts';
import { probeOnce } from '../../../src/agent/probe/index.ts';
import { WorkloadLoop } from '../../../src/agent/workloads/workload-loop.ts';
import type { JobSpec } from '../../../src/api/generated/types.ts';
import type { JsonObject } from '../../../src/api/json.ts';
import {
  controllerOf,
  isTerminalPhase,
  type KubeObject,
  type StoredKubeObject,
  type StoredPod,
  type WatchEvent,
} from '../../../src/api/objects.ts';
import { applyMergePatch } from '../../../src/api/patch/merge-patch.ts';
import { everyResourceType, resourceTypeOf } from '../../../src/api/resource-types.ts';
import { isWorkload } from '../../../src/api/workloads/stored-workloads.ts';
import type { PropagationPolicy } from '../../../src/controllers/garbage/deletion.ts';
import { NAME_ALPHABET } from '../../../src/controllers/names.ts';
import type { NewObject, Owned } from '../../../src/controllers/reconcile.ts';
import { CRASH_LOOP } from '../../../src/lifecycle/plan/back-off.ts';
import { restoredFacts } from '../../../src/lifecycle/restored-facts.ts';
import { asCreated } from '../../../src/manifest/default/created.ts';
import { prepareForCreate } from '../../../src/manifest/default/create.ts';
import { applyDefaults } from '../../../src/manifest/default/index.ts';
import { changeObject } from '../../../src/objects/change-object.ts';
import { ManualClock } from '../manual-clock.ts';
import { MemoryStore } from '../memory-store.ts';
import { SimulatedRuntime } from '../simulated-runtime.ts';
import type { ProgramBehaviour } from '../simulated-program.ts';
import { Life } from './mortal.ts';

/** Any object, as the tests look at it. */
export type AnyObject = Owned & { readonly status?: Readonly<Record<string, unknown>>; readonly spec?: unknown };

const NODE = {
  name: 'node-1',
  labels: {},
  taints: [],
  allocatable: { cpu: '64', memory: '64Gi', pods: '1000' },
  hostIPs: ['127.0.0.1'],
} as const;

/**
 * Workloads in a simulated machine: the real loop and controllers, and below them the real PodRun for each Pod. The
 * test moves the clock.
 */
export class WorkloadSimulation {
  readonly clock: ManualClock = new ManualClock();
  readonly store: MemoryStore = new MemoryStore(this.clock);
  readonly seen: Array<WatchEvent<AnyObject>> = [];
  /** The number of turns of the loop: after each, a run looks whether it is over. */
  turns = 0;
  readonly #behave: (pod: number, attempt: number) => ProgramBehaviour;
  readonly #numbers = new Map<string, number>();
  #life = new Life();
  #runs = new Map<string, PodRun>();
  #loop: WorkloadLoop;
  #names = 0;

  /** @param behave the program of the Pods, by their number: the first one has 0 */
  constructor(behave: (pod: number, attempt: number) => ProgramBehaviour = () => ({})) {
    this.#behave = behave;
    for (const { plural } of everyResourceType()) {
      this.store.watch<AnyObject>(plural, {}, (event) => this.seen.push(event));
    }
    this.#loop = this.#live();
  }

  get loop(): WorkloadLoop {
    return this.#loop;
  }

  /** Stores an object as `apply` does. The loop looks after a workload. */
  apply(object: NewObject): AnyObject {
    const created = asCreated(prepareForCreate(applyDefaults(object as KubeObject)), () => this.#newUid());
    const stored = this.store.create(resourceTypeOf(created).plural, created) as unknown as AnyObject;
    if (isWorkload(stored)) this.#loop.add(stored, () => undefined);
    return stored;
  }

  /** Changes an object as a client does. */
  patch(kind: string, name: string, patch: JsonObject): void {
    const { apiVersion, metadata } = this.find(kind, name);
    changeObject({
      store: this.store,
      ref: { type: resourceTypeOf({ apiVersion, kind }), namespace: metadata.namespace, name },
      change: (stored) => applyMergePatch(stored, patch) as StoredKubeObject,
      warn: () => undefined,
      isDryRun: false,
    });
  }

  delete(kind: string, name: string, policy: PropagationPolicy = 'Background'): void {
    const object = this.find(kind, name);
    if (kind === 'Pod') {
      requestDeletion(this.store, this.clock, object as unknown as StoredPod, { propagation: policy, isOwned: true });
    } else deleteRecord(this.store, this.clock, object, policy);
  }

  list(kind: string): AnyObject[] {
    const type = everyResourceType().find((candidate) => candidate.kind === kind);
    return type === undefined ? [] : this.store.list<AnyObject>(type.plural);
  }

  pods(): StoredPod[] {
    return this.list('Pod') as unknown as StoredPod[];
  }

  find(kind: string, name: string): AnyObject {
    const found = this.list(kind).find(({ metadata }) => metadata.name === name);
    if (found === undefined) throw new Error(`no ${kind} ${name}`);
    return found;
  }

  async run(ms: number): Promise<void> {
    await this.clock.run(ms);
  }

  /** Runs until it holds. */
  async until(holds: () => boolean, limitMs: number = 600_000): Promise<void> {
    if (!(await this.clock.runUntil(holds, limitMs))) throw new Error('it never comes');
  }

  /** Kills the agent and all containers. Another agent goes on from what is stored. */
  die(): void {
    this.#life.isOver = true;
    // Two agents never write Events at the same moment.
    this.clock.advance(1);
    this.#life = new Life();
    this.#runs = new Map();
    this.#loop = this.#live();
    for (const pod of this.pods()) if (!isTerminalPhase(pod.status.phase)) this.#run(pod, true);
    const workloads = everyResourceType()
      .flatMap(({ plural }) => this.store.list<Owned>(plural))
      .filter(isWorkload);
    const uids = new Set(workloads.map(({ metadata }) => metadata.uid));
    for (const workload of workloads) {
      if (!uids.has(controllerOf(workload)?.uid ?? '')) this.#loop.add(workload, () => undefined);
    }
  }

  #live(): WorkloadLoop {
    const store = this.#life.store(this.store);
    const clock = this.#life.clock(this.clock);
    return new WorkloadLoop({
      store,
      clock,
      node: NODE,
      timeZone: 'UTC',
      suffix: () => this.#suffix(),
      newUid: () => this.#newUid(),
      claim: () => () => undefined,
      runsPod: (uid) => this.#runs.has(uid),
      startPod: (object) => this.#run(store.create('pods', object) as unknown as StoredPod, false),
      deletePod: (pod, propagation) => requestDeletion(store, clock, pod, { propagation, isOwned: true }),
      onObject: () => undefined,
      onEvent: () => undefined,
      onTurn: () => {
        this.turns += 1;
      },
      onTrouble: (error) => {
        throw error;
      },
    });
  }

  #newUid(): string {
    this.#names += 1;
    return `uid-of-${this.#names}`;
  }

  #suffix(): string {
    this.#names += 1;
    let rest = this.#names;
    return Array.from({ length: 5 }, () => {
      const character = NAME_ALPHABET.charAt(rest % NAME_ALPHABET.length);
      rest = Math.floor(rest / NAME_ALPHABET.length);
      return character;
    }).join('');
  }

  /** @param isResumed true for a Pod whose containers are lost */
  #run(pod: StoredPod, isResumed: boolean): void {
    const { uid } = pod.metadata;
    const number = this.#numbers.get(uid) ?? this.#numbers.size;
    this.#numbers.set(uid, number);
    const clock = this.#life.clock(this.clock);
    const runtime = new SimulatedRuntime({ clock, behave: (_name, attempt) => this.#behave(number, attempt) });
    const isRestored = isResumed && pod.spec.nodeName !== undefined;
    const run = new PodRun({
      pod,
      restoration: isRestored ? restoredFacts(pod, [], clock.now()) : undefined,
      onRecordLost: () => undefined,
      store: this.#life.store(this.store),
      clock,
      runtime,
      node: NODE,
      agent: {
        config: () => ({ crashLoop: CRASH_LOOP, images: { containers: {}, volumes: {} } }),
        notices: () => [],
        schedulerFacts: () => ({ node: NODE, placed: [], hasClaim: () => true }),
        preempt: (_victims, _by, publish) => publish(),
        changed: () => undefined,
        over: () => undefined,
      },
      machine: {
        createSandbox: () => Promise.resolve(undefined),
        adopted: () => Promise.resolve(),
        restore: (_pod, _instance, launch) => launch,
        removeSandbox: () => Promise.resolve(),
        prepare: (_pod, { container }) =>
          Promise.resolve({
            ok: true,
            launch: { argv: [container] as const, env: { SIMULATED_NAME: container }, cwd: '/', stdin: false },
            notices: [],
          }),
        startFailed: () => undefined,
        measureStorage: () => Promise.resolve({ volumes: {}, logs: {}, layers: {} }),
        limitsOf: () => undefined,
        logFile: () => '',
        started: () => undefined,
        output: () => undefined,
        exited: () => undefined,
        explain: () => undefined,
        runHook,
        runProbe: probeOnce,
        probed: () => undefined,
        hooked: () => undefined,
        logHandlerOutput: () => undefined,
      },
      onEvent: () => undefined,
      onTrouble: (error) => {
        throw error;
      },
    });
    this.#runs.set(uid, run);
    run.begin();
  }
}

/** A Job of Pods that do not restart. */
export function jobWith(spec: Partial<JobSpec>): NewObject {
  const template = { spec: { containers: [{ name: 'main', image: 'busybox' }], restartPolicy: 'Never' } };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'pi', namespace: 'default' },
    spec: { template, ...spec },
  };
}
