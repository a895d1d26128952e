import type { Faults, ProbeInput } from '../kubelet/index.ts';
import {
  isSidecar,
  isWorkload,
  type KubeObject,
  resourceTypeOf,
  type StoredAutoscaler,
  type StoredEvent,
  type StoredPod,
  type WatchEvent,
} from '../api/index.ts';
import { NAME_ALPHABET, type Owned, SUFFIX_LENGTH } from '../controllers/index.ts';
import type { ProbeOutcome } from '../lifecycle/index.ts';
import { asCreated, prepareForCreate } from '../manifest/index.ts';
import { allocated, kubeletChanger } from '../apiserver/index.ts';
import type { Runtime } from '../runtime/index.ts';
import { LoadedPods, type SharedLoad } from './load-curve.ts';
import type { DeclaredNode } from '../settings/index.ts';
import type { ManualClock } from './manual-clock.ts';
import { MemoryStore } from './memory-store.ts';
import { DOES_ITS_WORK, RUNS, type SimulatedLife } from './read-program.ts';
import { SimulatedAgent } from './simulated-agent.ts';
import { SimulatedRuntime } from './simulated-runtime.ts';

export interface SimulationOptions {
  /** The programs by container: one life for each start; the last one repeats. */
  readonly programs: ReadonlyMap<string, readonly SimulatedLife[]>;
  readonly clock: ManualClock;
  /** The loads of workloads. Default: nothing is known of what Pods use. */
  readonly loads?: readonly SharedLoad[];
  /** Default: one node, which always lives. */
  readonly nodes?: readonly DeclaredNode[] | undefined;
  /** Faults of nodes, containers and probes. Default: none. */
  readonly faults?: Faults | undefined;
  readonly onPod: (event: WatchEvent<StoredPod>) => void;
  readonly onObject: (event: WatchEvent<Owned>) => void;
  readonly onEvent: (event: WatchEvent<StoredEvent>) => void;
}

/** The latest start of a container. */
interface LatestStart {
  readonly life: SimulatedLife;
  readonly atMs: number;
}

/** Objects in a simulated machine: the real agent and controllers, whose clock moves as fast as they compute. */
export class Simulation {
  readonly clock: ManualClock;
  readonly #options: SimulationOptions;
  readonly #store: MemoryStore;
  readonly #agent: SimulatedAgent;
  /** By uid of the Pod and name of the container. */
  readonly #latest = new Map<string, LatestStart>();
  #names = 0;

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.clock = options.clock;
    this.#store = new MemoryStore(this.clock);
    this.#store.watch<StoredPod>('pods', {}, options.onPod);
    this.#agent = new SimulatedAgent({
      store: this.#store,
      clock: this.clock,
      suffix: () => this.#suffix(),
      newUid: () => this.#newUid(),
      runtimeOf: (pod) => this.#runtimeOf(pod),
      machine: {
        runHook: () => Promise.resolve({ ok: true }),
        runProbe: (input) => Promise.resolve(options.faults?.probe(input) ?? this.#probe(input)),
      },
      onObject: options.onObject,
      onEvent: options.onEvent,
      usage: options.loads && new LoadedPods(options.loads, this.clock),
      nodes: options.nodes,
    });
  }

  /** Stores the objects as `apply` does, and begins to run them. */
  begin(objects: readonly KubeObject[]): void {
    const stored = objects.map((object) => {
      const created = asCreated(allocated(this.#store, prepareForCreate(object)), () => this.#newUid());
      return this.#store.create(resourceTypeOf(created).plural, created);
    });
    const { faults, onEvent } = this.#options;
    const [store, clock] = [this.#store, this.clock];
    this.#agent.cluster?.begin();
    faults?.begin((uid, event) => this.#agent.tell(uid, event), kubeletChanger({ store, clock, onEvent }));
    for (const object of stored) {
      if (object.kind === 'Pod') this.#agent.run(object as unknown as StoredPod);
      else if (isWorkload(object)) this.#agent.loop.add(object, () => undefined);
      else if (object.kind === 'Service') this.#agent.loop.followServices(object.metadata.namespace ?? '');
    }
  }

  /** Lets so much time pass. */
  async run(ms: number): Promise<void> {
    await this.clock.run(ms);
  }

  /** The autoscaler of this uid. */
  autoscaler(uid: string): StoredAutoscaler | undefined {
    const all = this.#store.list<StoredAutoscaler>('horizontalpodautoscalers');
    return all.find(({ metadata }) => metadata.uid === uid);
  }

  /** The Pods that there are at the moment. */
  get pods(): readonly StoredPod[] {
    return this.#store.list<StoredPod>('pods');
  }

  #runtimeOf(pod: StoredPod): Runtime {
    const { uid } = pod.metadata;
    const runtime = new SimulatedRuntime({
      clock: this.clock,
      behave: (container, attempt) => {
        const life = this.#lifeOf(pod, container, attempt);
        this.#latest.set(`${uid}/${container}`, { life, atMs: this.clock.now().monotonicMs });
        return life;
      },
    });
    return this.#options.faults?.wrap(runtime) ?? runtime;
  }

  /** The life of the container after its first (0), second (1), … start. */
  #lifeOf({ spec }: StoredPod, name: string, attempt: number): SimulatedLife {
    const lives = this.#options.programs.get(name) ?? [];
    const life = lives[Math.min(attempt, lives.length - 1)];
    if (life !== undefined) return life;
    const init = spec.initContainers?.find((container) => container.name === name);
    const isTask = init === undefined ? spec.restartPolicy !== 'Always' : !isSidecar(init);
    return isTask ? DOES_ITS_WORK : RUNS;
  }

  #probe({ pod, container }: ProbeInput): ProbeOutcome {
    const latest = this.#latest.get(`${pod.metadata.uid}/${container.name}`);
    const { readyAfterMs } = latest?.life ?? RUNS;
    const isReady = readyAfterMs !== undefined && this.clock.now().monotonicMs >= (latest?.atMs ?? 0) + readyAfterMs;
    return isReady ? { result: 'success', output: '' } : { result: 'failure', output: 'simulated: not ready yet' };
  }

  #newUid(): string {
    this.#names += 1;
    return `00000000-0000-4000-8000-${String(this.#names).padStart(12, '0')}`;
  }

  /** A random-looking suffix that is the same in every run. */
  #suffix(): string {
    this.#names += 1;
    let rest = (this.#names * 7_919_113) % NAME_ALPHABET.length ** SUFFIX_LENGTH;
    return Array.from({ length: SUFFIX_LENGTH }, () => {
      const character = NAME_ALPHABET.charAt(rest % NAME_ALPHABET.length);
      rest = Math.floor(rest / NAME_ALPHABET.length);
      return character;
    }).join('');
  }
}
