import { machineZone } from '../api/cron/zone.ts';
import type { KubeObject, StoredEvent, StoredPod, WatchEvent } from '../api/objects.ts';
import type { Clock } from '../clock.ts';
import type { Owned } from '../controllers/base/reconcile.ts';
import type { BackOffLimits } from '../lifecycle/plan/back-off.ts';
import type { FileStore } from '../store/file-store.ts';
import { watchOwners } from '../store/feed/owner-watch.ts';
import { newUid } from '../store/base/unique-id.ts';
import type { Agent } from '../kubelet/agent.ts';
import { deletePod } from '../apiserver/deletion/delete-pod.ts';
import { requestDeletion } from '../apiserver/deletion/request-deletion.ts';
import { WorkloadLoop } from '../workloads/workload-loop.ts';
import type { RunOwner } from './begin-runs.ts';
import { claimControlled } from './begin-workloads.ts';
import { randomSuffix } from '../apiserver/base/random-suffix.ts';

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
