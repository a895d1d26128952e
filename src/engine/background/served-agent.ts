import type { KubeObject, StoredKubeObject, StoredPod } from '../../api/objects.ts';
import { isWorkload } from '../../api/workloads/stored-workloads.ts';
import type { Agent } from '../../kubelet/agent.ts';
import { claimWorkload } from '../begin-workloads.ts';
import { hasOwners } from '../open-loop.ts';
import type { WorkloadLoop } from '../../workloads/workload-loop.ts';
import type { FileStore } from '../../store/file-store.ts';

/** The agent of a server. */
export interface ServedAgent {
  /**
   * Stores a new Pod, and begins to run it.
   * @throws {PodrunError} when a Pod of this name exists
   */
  readonly startPod: (pod: KubeObject) => StoredPod;
  /** Begins to look after a new workload or Service. */
  readonly took: (object: StoredKubeObject) => void;
  /** Lets the server listen in the networks of Pods; see PodNetworks. */
  readonly serveApi: Agent['serveApi'];
}

/**
 * A server in the process of an agent. Resolves when it is to end: `leave` leaves the containers to their keeper and
 * the next server, `end` ends all Pods.
 */
export type Serving = (agent: ServedAgent) => Promise<'leave' | 'end'>;

/** The parts of a background agent that its server uses. */
interface ServedParts {
  /** The id of the background agent. */
  readonly id: string;
  readonly store: FileStore;
  readonly agent: Agent;
  readonly loop: WorkloadLoop;
  /** Takes note of a Pod of this agent, and how to release it. */
  readonly onStarted: (pod: StoredPod, release: () => void) => void;
}

/** The agent, as a server uses it. */
export function servedAgent({ id, store, agent, loop, onStarted }: ServedParts): ServedAgent {
  const command = 'serve';
  return {
    startPod: (object) => {
      const { pod, release } = store.startNewRun(object, command, id);
      onStarted(pod, release);
      agent.run(pod);
      loop.followServices(pod.metadata.namespace);
      if (hasOwners(pod)) loop.follow(pod);
      return store.get<StoredPod>('pods', pod.metadata.namespace, pod.metadata.name) ?? pod;
    },
    took: ({ apiVersion, kind, metadata: { namespace, name } }) => {
      if (kind === 'Service') return loop.followServices(namespace);
      if (!isWorkload({ kind })) return;
      const workload = claimWorkload(store, { apiVersion, kind, namespace, name }, command, id);
      if (workload === undefined) return;
      loop.add(workload.object, workload.release);
      loop.followServices(namespace);
    },
    serveApi: (api) => agent.serveApi(api),
  };
}
