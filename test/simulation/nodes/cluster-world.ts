import { requestDeletion } from '../../../src/apiserver/deletion/request-deletion.ts';
import { objectsOfBudgets } from '../../../src/apiserver/deletion/evict-pod.ts';
import { kubeletChanger } from '../../../src/apiserver/cluster/change-kubelet.ts';
import type { KubeObject, StoredPod } from '../../../src/api/base/objects.ts';
import type { PodDisruptionBudget, Taint } from '../../../src/api/generated/types.ts';
import { resourceTypeOf } from '../../../src/api/resource-types.ts';
import { isWorkload } from '../../../src/api/workloads/stored-workloads.ts';
import { asCreated } from '../../../src/manifest/default/created.ts';
import { prepareForCreate } from '../../../src/manifest/default/create.ts';
import { applyDefaults, evictionProblem, withBudgetStatus } from '../../../src/manifest/index.ts';
import { faultInjected } from '../../../src/lifecycle/index.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';
import { MemoryStore } from '../../../src/simulation/memory-store.ts';
import { RUNS } from '../../../src/simulation/read-program.ts';
import { SimulatedAgent } from '../../../src/simulation/simulated-agent.ts';
import { SimulatedRuntime } from '../../../src/simulation/simulated-runtime.ts';
import { type DeclaredNode, type KubeletState, type NodeRecord, setKubeletState } from '../../../src/settings/index.ts';
import { nthSuffix } from '../../controllers/manifests.ts';

/** Workloads on several simulated nodes, whose programs run until they are stopped. The test moves the clock. */
export class ClusterWorld {
  readonly clock: ManualClock = new ManualClock();
  readonly store: MemoryStore = new MemoryStore(this.clock);
  readonly agent: SimulatedAgent;
  #names = 0;

  constructor(nodes: readonly DeclaredNode[]) {
    const newUid = (): string => `uid-${this.#names++}`;
    this.agent = new SimulatedAgent({
      store: this.store,
      clock: this.clock,
      suffix: () => nthSuffix(this.#names++),
      newUid,
      runtimeOf: () => new SimulatedRuntime({ clock: this.clock, behave: () => RUNS }),
      nodes,
    });
    this.agent.cluster?.begin();
  }

  apply(object: object): void {
    const created = asCreated(prepareForCreate(applyDefaults(object as KubeObject)), () => `uid-${this.#names++}`);
    const stored = this.store.create(resourceTypeOf(created).plural, created);
    if (isWorkload(stored)) this.agent.loop.add(stored, () => undefined);
  }

  get pods(): StoredPod[] {
    return this.store.list<StoredPod>('pods');
  }

  get nodes(): NodeRecord[] {
    return this.store.list<NodeRecord>('nodes');
  }

  /** Changes the kubelet of a node, as a fault does. */
  fault(name: string, state: KubeletState): void {
    const change = kubeletChanger({ store: this.store, clock: this.clock, onEvent: () => undefined });
    change(name, state, faultInjected(`node ${name} is ${state}`));
  }

  heal(name: string): void {
    setKubeletState(this.store, name, 'running');
    this.changeNode(name, [], false);
  }

  /** Gives a node these taints of a user, and cordons it or not. */
  changeNode(name: string, taints: readonly Taint[], isCordoned: boolean): void {
    const cordon: Taint = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
    this.store.change<NodeRecord>('nodes', { namespace: 'default', name }, 'object', ({ spec, ...node }) => {
      const { unschedulable: _, taints: before = [], ...rest } = spec ?? {};
      const kept = before.filter(({ key }) => /not-ready|unreachable|pressure/.test(key));
      const own = [...taints, ...(isCordoned ? [cordon] : []), ...kept];
      return { ...node, spec: { ...rest, taints: own, ...(isCordoned && { unschedulable: true }) } };
    });
  }

  addNode(name: string, capacity: Readonly<Record<string, string>>): void {
    if (this.nodes.some(({ metadata }) => metadata.name === name)) return;
    const metadata = { name, annotations: { 'podrun.dev/kubelet': 'running' } };
    this.store.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata, status: { capacity } });
  }

  removeNode(name: string): void {
    this.store.delete('nodes', 'default', name);
  }

  /** Evicts a Pod by the API. Returns false when a budget does not permit it. */
  evict(pod: StoredPod): boolean {
    const objects = objectsOfBudgets(this.store, 'default');
    const budgets = this.store
      .list<PodDisruptionBudget & KubeObject>('poddisruptionbudgets')
      .map((budget) => withBudgetStatus(budget, objects));
    if (evictionProblem(pod, budgets) !== undefined) return false;
    requestDeletion(this.store, this.clock, pod, { propagation: 'Background', isOwned: true });
    return true;
  }
}
