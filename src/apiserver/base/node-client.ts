import type { AutoscalerApi } from './autoscaler-api.ts';
import type { KubeObject, StoredKubeObject, StoredPod } from '../../api/index.ts';
import type { Usage } from '../../runtime/index.ts';
import type { ApiOfPods, ApiPlace, DialEndpoint } from '../../network/index.ts';

/** The use of the containers of a Pod in a window of time. */
export interface SampledUsage {
  /** The end of the window, in milliseconds since 1970. */
  readonly atMs: number;
  readonly windowMs: number;
  readonly byContainer: ReadonlyMap<string, Usage>;
}

/** The node behind the server. */
export interface NodeClient {
  /** The address at which Pods reach the node. */
  readonly address: string;
  /** False: it has controllers only. There is no Node, and Pods stay Pending. */
  readonly runsPods: boolean;
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
  /**
   * Begins to serve names. Returns the address of the DNS server in the network that Pods share. Undefined: there is
   * none. Rejects when that network cannot be made.
   */
  readonly clusterDns: () => Promise<string | undefined>;
  /** The last sample of a Pod of this node. Undefined: there is none, or not yet. */
  readonly usageOf: (pod: StoredPod) => SampledUsage | undefined;
  /** Gives autoscalers what they need of the server, as long as it runs. Undefined: no more. */
  readonly serveAutoscalers: (api: AutoscalerApi | undefined) => void;
  /** Connects to an endpoint of a Service; see PodNetworks. */
  readonly dialEndpoint: DialEndpoint;
}
