import { reportTrouble } from '../../defects.ts';
import path from 'node:path';
import {
  type KubeObject,
  machineZone,
  resolvedUid,
  type StoredEvent,
  type StoredPod,
  type StoredService,
  type Taint,
  type WatchEvent,
} from '../../api/index.ts';
import { type AutoscalerApi, deletePod, randomSuffix, requestDeletion } from '../../apiserver/index.ts';
import type { Clock } from '../../clock.ts';
import type { Owned } from '../../controllers/index.ts';
import { type Agent, NodeReport, StaticPods } from '../../kubelet/index.ts';
import type { AgentSettings } from '../../settings/index.ts';
import {
  type FileStore,
  newUid,
  type ObjectKey,
  type Store,
  type Subscription,
  watchOwners,
} from '../../store/index.ts';
import { WorkloadLoop } from '../../workloads/index.ts';
import { beginRuns, type RunOwner, undoRuns } from './begin-runs.ts';
import { claimControlled } from './begin-workloads.ts';

interface LoopOptions {
  readonly store: FileStore;
  readonly clock: Clock;
  readonly agent: Agent;
  /** See WorkloadLoopOptions. */
  readonly autoscalerApi: () => AutoscalerApi | undefined;
  readonly settings: Pick<AgentSettings, 'autoscalerPeriodMs' | 'jobBackOff'>;
  /** The owner of all that the controllers make. */
  readonly owner: RunOwner;
  /** Runs a Pod that a controller has made. */
  readonly onStarted: (pod: StoredPod, release: () => void) => void;
  /** True for a Pod that this process stores for a kubelet that does not exist. Undefined: the agent is the kubelet. */
  readonly holdsPod: ((uid: string) => boolean) | undefined;
  /** See WorkloadLoopOptions. */
  readonly namesService?: ((key: ObjectKey) => boolean) | undefined;
  /** See WorkloadLoopOptions. */
  readonly forgetsRemoved?: boolean | undefined;
  readonly onObject: (event: WatchEvent<Owned>) => void;
  readonly onEvent: (event: WatchEvent<StoredEvent>) => void;
  readonly onTurn: () => void;
  readonly onTrouble: (error: Error) => void;
  readonly onDefect?: ((defect: unknown) => void) | undefined;
}

/** The loop that runs controllers in this process, with the Pods of an agent below it. */
export function openLoop({
  store,
  clock,
  agent,
  settings,
  owner,
  onStarted,
  holdsPod,
  ...listeners
}: LoopOptions): WorkloadLoop {
  /** The uid of a Pod that is being created: its run begins when the store has it. */
  let starting: string | undefined;
  const loop = new WorkloadLoop({
    ...listeners,
    services: agent.services(),
    watchServiceOwners: (namespace, onChange) => watchOwners(store.root, 'services', namespace, onChange),
    store,
    clock,
    nodes: () => (holdsPod === undefined ? agent.nodes.all : [{ ...agent.nodes.all[0], taints: [NO_KUBELET] }]),
    delay: settings.jobBackOff,
    autoscalerPeriodMs: settings.autoscalerPeriodMs,
    usage: agent.usage,
    timeZone: machineZone,
    suffix: randomSuffix,
    newUid,
    claim: ({ apiVersion, kind, metadata: { namespace, name } }) =>
      claimControlled(store, { apiVersion, kind, namespace, name }, owner.command, owner.agent)?.release,
    runsPod: (uid) => uid === starting || agent.hasPod(uid) || holdsPod?.(uid) === true,
    startPod: (object: KubeObject) => {
      starting = object.metadata.uid;
      const { pod, release } = store.startNewRun(object, owner.command, owner.agent);
      onStarted(pod, release);
      return pod;
    },
    deletePod: (pod, propagation) => {
      const { namespace, name } = pod.metadata;
      const isOwned = store.owners.isOwned(namespace, name);
      requestDeletion(store, clock, pod, { propagation, isOwned });
      if (isOwned) return;
      // Ends the processes that a killed podrun has left.
      deletePod({ store, clock, namespace, name, graceSeconds: undefined }).catch((error: unknown) =>
        reportTrouble(error, listeners.onTrouble),
      );
    },
  });
  agent.onNodeChange(() => loop.nodeChanged());
  return loop;
}

/** The taint that keeps DaemonSets from a node without a kubelet. */
const NO_KUBELET: Taint = { key: 'podrun/no-kubelet', effect: 'NoSchedule' };

/** True for a Pod that goes with its owners. A Node always exists. */
export function hasOwners({ metadata }: StoredPod): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind }) => kind !== 'Node');
}

/** Finds the namespaces of Pods that have Services: their agent looks after these, too. */
export class ServiceWatch {
  readonly #store: Store;
  readonly #onFound: (namespace: string) => void;
  readonly #subscriptions = new Map<string, Subscription>();

  /** @param onFound called for each Service of a followed namespace, also for later ones */
  constructor(store: Store, onFound: (namespace: string) => void) {
    this.#store = store;
    this.#onFound = onFound;
  }

  follow(namespace: string): void {
    if (this.#subscriptions.has(namespace)) return;
    const onEvent = ({ type }: { readonly type: string }): void => {
      if (type === 'ADDED') this.#onFound(namespace);
    };
    this.#subscriptions.set(
      namespace,
      this.#store.watch<StoredService>('services', { namespace }, onEvent, { replay: true }),
    );
  }

  close(): void {
    for (const subscription of this.#subscriptions.values()) subscription.close();
  }
}

/** The static Pods of a node. */
interface StaticPlace {
  /** The folder whose files are static Pods. */
  readonly folder: string;
  readonly nodeName: string;
}

/**
 * The folders of static Pods: the files of the folder are Pods of the first node; of several nodes, each has the folder
 * of its name inside as well.
 */
export function staticFolders(folder: string | undefined, nodes: Agent['nodes']['all']): StaticPlace[] {
  if (folder === undefined) return [];
  const own = { folder, nodeName: nodes[0].name };
  if (nodes.length === 1) return [own];
  return [own, ...nodes.map(({ name }) => ({ folder: path.join(folder, name), nodeName: name }))];
}

interface StaticsOptions extends StaticPlace {
  readonly store: FileStore;
  readonly clock: Clock;
  readonly owner: RunOwner;
  /** Runs a Pod. */
  readonly onStarted: (pod: StoredPod, release: () => void) => void;
  readonly onEvent: (event: WatchEvent<StoredEvent>) => void;
  readonly onTrouble: (text: string) => void;
}

/** Watches the folder of static Pods, and runs them with an agent. */
export function openStatics(options: StaticsOptions): StaticPods {
  const { folder, nodeName, store, clock, owner, onStarted, onEvent, onTrouble } = options;
  const report = new NodeReport({ store, clock, nodeName, onEvent });
  const statics = new StaticPods({
    place: folder,
    clock,
    nodeName,
    start: async ({ manifest }) => {
      const { owned, foreign } = await beginRuns(store, clock, [manifest], owner);
      for (const { object } of foreign) onTrouble(`pod/${object.metadata.name} runs in another podrun`);
      const [begun] = owned;
      if (begun === undefined) return undefined;
      if (!statics.isWatching) {
        undoRuns(store, owned);
        return undefined;
      }
      onStarted(begun.pod, begun.release);
      return begun.pod;
    },
    end: (pod) => {
      const stored = store.get<StoredPod>('pods', pod.metadata.namespace, pod.metadata.name);
      if (stored === undefined || resolvedUid(stored) !== resolvedUid(pod)) return;
      requestDeletion(store, clock, stored, { propagation: 'Background', isOwned: true });
    },
    onProblem: (text) => {
      onTrouble(text);
      report.staticPodProblem(text);
    },
  });
  return statics;
}
