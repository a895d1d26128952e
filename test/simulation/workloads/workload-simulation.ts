import { requestDeletion } from '../../../src/apiserver/deletion/request-deletion.ts';
import { deleteRecord } from '../../../src/apiserver/deletion/delete-record.ts';
import type { WorkloadLoop } from '../../../src/workloads/workload-loop.ts';
import type { JobSpec, ServiceSpec } from '../../../src/api/generated/types.ts';
import type { JsonObject } from '../../../src/api/base/json.ts';
import type { KubeObject, StoredKubeObject, StoredPod, WatchEvent } from '../../../src/api/base/objects.ts';
import { applyMergePatch } from '../../../src/api/patch/merge-patch.ts';
import { everyResourceType, resourceTypeOf } from '../../../src/api/resource-types.ts';
import { isWorkload } from '../../../src/api/workloads/stored-workloads.ts';
import type { PropagationPolicy } from '../../../src/controllers/garbage/collect.ts';
import type { NewObject, Owned } from '../../../src/controllers/base/reconcile.ts';
import { asCreated } from '../../../src/manifest/default/created.ts';
import { prepareForCreate } from '../../../src/manifest/default/create.ts';
import { applyDefaults } from '../../../src/manifest/default/index.ts';
import { allocated } from '../../../src/apiserver/services/allocate.ts';
import { changeObject } from '../../../src/apiserver/objects/change-object.ts';
import { nthSuffix } from '../../controllers/manifests.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';
import { SIMULATED_NODE } from '../../../src/simulation/simulated-machine.ts';
import { MemoryStore } from '../../../src/simulation/memory-store.ts';
import type { ProgramBehaviour } from '../../../src/simulation/read-program.ts';
import { KeptContainers } from './kept-containers.ts';
import { MortalAgent } from './mortal-agent.ts';

/** A label of Pods and nodes: the kubelet rejects a Pod with another value. */
export const OS_LABEL = 'kubernetes.io/os';

/** Any object, as the tests look at it. */
export type AnyObject = Owned & { readonly status?: Readonly<Record<string, unknown>>; readonly spec?: unknown };

export interface WorkloadSimulationOptions {
  /** The programs of Pods, by the number of the Pod: the first one has 0. Default: they run until they are stopped. */
  readonly behave?: (pod: number, attempt: number) => ProgramBehaviour;
  /** True for a Pod that the node rejects as it begins. Only Pods with the label `OS_LABEL` can be. Default: none. */
  readonly rejects?: (pod: number) => boolean;
  /** Called after each write. Default: the writes are in `seen`. */
  readonly onWrite?: (event: WatchEvent<AnyObject>) => void;
  /** Called after each turn of the controllers. */
  readonly onTurn?: () => void;
}

/** Workloads in a simulated machine, with one agent after the other. The test moves the clock. */
export class WorkloadSimulation {
  readonly clock: ManualClock = new ManualClock();
  readonly store: MemoryStore = new MemoryStore(this.clock);
  readonly seen: Array<WatchEvent<AnyObject>> = [];
  /** The number of turns of the loop: after each, a run looks whether it is over. */
  turns = 0;
  readonly #behave: (pod: number, attempt: number) => ProgramBehaviour;
  readonly #rejects: (pod: number) => boolean;
  /** By uid of the Pod: they are in the order of the Pods. */
  readonly #containers = new Map<string, KeptContainers>();
  /** The uids of the Pods whose exec probes fail. */
  readonly #unready = new Set<string>();
  #agent: MortalAgent;
  #names = 0;
  readonly #onTurn: () => void;

  constructor({
    behave = () => ({}),
    rejects = () => false,
    onWrite,
    onTurn = () => undefined,
  }: WorkloadSimulationOptions = {}) {
    this.#behave = behave;
    this.#rejects = rejects;
    this.#onTurn = onTurn;
    for (const { plural } of everyResourceType()) {
      this.store.watch<AnyObject>(plural, {}, onWrite ?? ((event) => this.seen.push(event)));
    }
    this.#agent = this.#newAgent();
  }

  get agent(): MortalAgent {
    return this.#agent;
  }

  get loop(): WorkloadLoop {
    return this.#agent.loop;
  }

  /** Stores an object as `apply` does. The loop looks after a workload. */
  apply(object: NewObject): AnyObject {
    const allowed = allocated(this.store, prepareForCreate(applyDefaults(object as KubeObject)));
    const created = asCreated(allowed, () => this.#newUid());
    const stored = this.store.create(resourceTypeOf(created).plural, created) as unknown as AnyObject;
    if (isWorkload(stored)) this.loop.add(stored, () => undefined);
    if (stored.kind === 'Service') this.loop.followServices(stored.metadata.namespace);
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

  /** The uids of the Pods with containers that run. */
  get runningPods(): string[] {
    return [...this.#containers].flatMap(([uid, { isRunning }]) => (isRunning ? [uid] : []));
  }

  /** True while a container is just being started. */
  get isStarting(): boolean {
    return [...this.#containers.values()].some((containers) => containers.isStarting);
  }

  /** Ends the containers of a Pod from outside. */
  crash({ metadata }: StoredPod, exitCode: number): void {
    this.#containers.get(metadata.uid)?.crash(exitCode);
  }

  /** Lets the exec probes of a Pod fail from now on, or succeed again. */
  toggleReadiness({ metadata: { uid } }: StoredPod): void {
    if (!this.#unready.delete(uid)) this.#unready.add(uid);
  }

  /** Kills all containers. */
  loseContainers(): void {
    for (const containers of this.#containers.values()) containers.lose();
  }

  /** Another agent goes on from what is stored, and from the containers that still run. The last one is dead. */
  revive(): void {
    this.#agent.life.endAfter(0);
    this.#agent = this.#newAgent();
    this.#agent.takeOver();
  }

  #newAgent(): MortalAgent {
    return new MortalAgent({
      store: this.store,
      clock: this.clock,
      suffix: () => this.#suffix(),
      newUid: () => this.#newUid(),
      containersOf: (pod) => this.#containersOf(pod),
      nodeFor: (pod) => {
        const os = this.#rejects([...this.#containers.keys()].indexOf(pod.metadata.uid)) ? 'windows' : 'linux';
        return { ...SIMULATED_NODE, labels: { [OS_LABEL]: os } };
      },
      onTurn: () => {
        this.turns += 1;
        this.#onTurn();
      },
    });
  }

  #containersOf({ metadata: { uid } }: StoredPod): KeptContainers {
    const known = this.#containers.get(uid);
    if (known !== undefined) return known;
    const number = this.#containers.size;
    const created = new KeptContainers(
      this.clock,
      (attempt) => this.#behave(number, attempt),
      () => !this.#unready.has(uid),
    );
    this.#containers.set(uid, created);
    return created;
  }

  #newUid(): string {
    this.#names += 1;
    return `uid-of-${this.#names}`;
  }

  #suffix(): string {
    this.#names += 1;
    return nthSuffix(this.#names);
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

/** A Service of the Pods. All such Services ask for the same address. */
export function serviceWith(name: string, spec: Partial<ServiceSpec>): NewObject {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'default' },
    spec: { clusterIP: '127.96.0.9', selector: { app: 'web' }, ports: [{ port: 80 }], ...spec },
  };
}
