import type { KubeObject, StoredKubeObject, StoredPod } from '../../api/index.ts';
import type { ApiOfPods, ApiPlace } from '../../network/index.ts';

/** The node behind the server. */
export interface NodeClient {
  /**
   * Stores a new Pod, owned by this node from the start, and begins to run it.
   * @throws {PodrunError} when a Pod of this name exists
   */
  readonly createPod: (pod: KubeObject) => StoredPod;
  /** Begins to look after a new workload or Service. */
  readonly took: (object: StoredKubeObject) => void;
  /**
   * Lets the server listen in the networks of Pods. Returns its address in the network that Pods share. Undefined: they
   * are in this machine's network, or alone. Rejects when that network cannot be made.
   */
  readonly serveApi: (api: ApiOfPods) => Promise<ApiPlace | undefined>;
}
