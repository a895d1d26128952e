import { type KubeObject, machineZone, type StoredEvent, type StoredPod, type WatchEvent } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type { Owned } from '../../controllers/index.ts';
import type { BackOffLimits } from '../../lifecycle/index.ts';
import { type FileStore, newUid, watchOwners } from '../../store/index.ts';
import type { Agent } from '../../kubelet/index.ts';
import { deletePod, randomSuffix, requestDeletion } from '../../apiserver/index.ts';
import { WorkloadLoop } from '../../workloads/index.ts';
import type { RunOwner } from './begin-runs.ts';
import { claimControlled } from './begin-workloads.ts';

export interface LoopOptions {
  readonly store: FileStore;
  readonly clock: Clock;
  readonly agent: Agent;
  /** The delays of Jobs after failures. */
  readonly jobBackOff: BackOffLimits;
  /** The owner of all that the controllers make. */
  readonly owner: RunOwner;
  /** Called with each Pod that a controller has made, before it runs. */
  readonly onStarted: (pod: StoredPod, release: () => void) => void;
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
  jobBackOff,
  owner,
  onStarted,
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
    node: () => agent.node,
    delay: jobBackOff,
    timeZone: machineZone,
    suffix: randomSuffix,
    newUid,
    claim: ({ apiVersion, kind, metadata: { namespace, name } }) =>
      claimControlled(store, { apiVersion, kind, namespace, name }, owner.command, owner.agent)?.release,
    runsPod: (uid) => uid === starting || agent.hasPod(uid),
    startPod: (object: KubeObject) => {
      starting = object.metadata.uid;
      const { pod, release } = store.startNewRun(object, owner.command, owner.agent);
      onStarted(pod, release);
      agent.run(pod);
      return pod;
    },
    deletePod: (pod, propagation) => {
      const { namespace, name } = pod.metadata;
      const isOwned = store.isOwned(namespace, name);
      requestDeletion(store, clock, pod, { propagation, isOwned });
      if (isOwned) return;
      // Ends the processes that a killed podrun has left.
      deletePod({ store, clock, namespace, name, graceSeconds: undefined }).catch((error: unknown) =>
        listeners.onTrouble(error as Error),
      );
    },
  });
  agent.onNodeChange(() => loop.nodeChanged());
  return loop;
}

/** True for a Pod that goes with its owners. A Node always exists. */
export function hasOwners({ metadata }: StoredPod): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind }) => kind !== 'Node');
}
