import { isTerminalPhase, resourceTypeOf, type StoredPod, type Workload } from '../../api/index.ts';
import { podRoot, type Root, type RunRecord, schedule } from '../../lifecycle/index.ts';
import type { FileStore, ObjectKey } from '../../store/index.ts';
import { ObjectCache, schedulingObjects, type WorkloadKey } from '../../apiserver/index.ts';
import { type NodeSettings, ClusterNodes } from '../../settings/index.ts';
import { RunRoots } from '../../workloads/index.ts';
import { ForeignPods } from './foreign-pods.ts';

interface ForeignObjects {
  readonly pods: readonly StoredPod[];
  readonly workloads: readonly WorkloadKey[];
  /** Services of the run: their endpoints are followed. */
  readonly services: readonly ObjectKey[];
  /** The settings of the node that runs them. Undefined: another machine does. */
  readonly node?: NodeSettings | undefined;
}

/** Pods and workloads of other processes that this process waits for. */
export class ForeignRoots {
  readonly #pods: ForeignPods;
  readonly #cache: ObjectCache;
  readonly #workloads = new RunRoots();
  readonly #store: FileStore;
  readonly #node: NodeSettings | undefined;

  /** @param onChange called after every change of one of them, and of the Pods of workloads */
  constructor(store: FileStore, { pods, workloads, services, node }: ForeignObjects, onChange: () => void) {
    let isReady = false;
    this.#store = store;
    this.#node = node;
    this.#cache = new ObjectCache(store, (event) => {
      this.#workloads.changed(event);
      if (isReady) onChange();
    });
    for (const { apiVersion, kind, namespace, name } of workloads) {
      const object = store.get<Workload>(resourceTypeOf({ apiVersion, kind }).plural, namespace, name);
      if (object !== undefined) this.#workloads.add(object);
    }
    for (const { namespace } of [...workloads, ...services]) this.#cache.follow(namespace);
    this.#pods = new ForeignPods(store, pods, onChange);
    isReady = true;
  }

  get roots(): readonly Root[] {
    const podsOf = ({ metadata: { uid } }: Workload): StoredPod[] => this.#cache.podsBelow(uid);
    const workloads = this.#workloads.all.map((root) => ({ ...root, pods: podsOf(root.object) }));
    return [...this.#pods.pods.map(podRoot), ...workloads];
  }

  /** True when all of them have ended, are gone, or have lost their podrun. */
  get isOver(): boolean {
    return this.#pods.isOver && this.#workloads.areOver;
  }

  /** incomplete: an owner could not record all states or events of its Pods. */
  get record(): RunRecord {
    return this.#pods.record;
  }

  /** True for a Pod that waits for room which Pods of other runs have. */
  waitsForOthers(uid: string): boolean {
    const pods = this.roots.flatMap((root) => root.pods);
    const pod = pods.find(({ metadata }) => metadata.uid === uid);
    if (pod === undefined || this.#node === undefined) return false;
    const isPlaced = ({ spec, status }: StoredPod): boolean => !!spec.nodeName && !isTerminalPhase(status.phase);
    const facts = {
      nodes: new ClusterNodes(this.#store, this.#store.root, this.#node).all,
      placed: pods.filter((other) => other !== pod && isPlaced(other)),
      objects: schedulingObjects(this.#store),
    };
    return schedule(pod, facts).type === 'fits';
  }

  close(): void {
    this.#pods.close();
    this.#cache.close();
  }
}
