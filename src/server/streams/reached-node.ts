import { DEFAULT_NAMESPACE, type StoredPod } from '../../api/index.ts';
import { badRequestStatus, type ServerContext, StatusError } from '../../apiserver/index.ts';
import { kubeletState, type NodeRecord } from '../../settings/index.ts';
import { serviceUnavailable } from './unavailable.ts';

/** The port of a kubelet. Source: pkg/cluster/ports. */
const KUBELET_PORT = 10_250;

/**
 * Refuses a log of a Pod whose node is silent or off.
 * @throws {StatusError} as the client of the API server for kubelets says it
 */
export function mustReachLog(pod: StoredPod, container: string, context: Context): void {
  const { namespace, name } = pod.metadata;
  const silent = silentKubelet(pod.spec.nodeName, context);
  if (silent === undefined) return;
  const url = `https://${silent.place}/containerLogs/${namespace}/${name}/${container}`;
  throw unreached(`Get "${url}": ${silent.why}`);
}

/**
 * Refuses a stream to a Pod without a node, or whose node is silent or off.
 * @throws {StatusError} in the API server's words. Source: apimachinery/pkg/util/proxy/upgradeaware.go
 */
export function mustReachPod({ metadata, spec }: StoredPod, context: Context): void {
  if (!spec.nodeName) throw badRequestStatus(`pod ${metadata.name} does not have a host assigned`);
  const silent = silentKubelet(spec.nodeName, context);
  if (silent !== undefined) throw unreached(`error dialing backend: ${silent.why}`);
}

/** Refuses a page of a kubelet that is silent or off. @throws {StatusError} in the words of the proxy */
export function mustReachNode(name: string, context: Context): void {
  const silent = silentKubelet(name, context);
  if (silent !== undefined) throw serviceUnavailable(`error trying to reach service: ${silent.why}`);
}

type Context = Pick<ServerContext, 'store'>;

/** Undefined: the kubelet responds. */
function silentKubelet(
  name: string | undefined,
  { store }: Context,
): { readonly place: string; readonly why: string } | undefined {
  const node = name && store.get<NodeRecord>('nodes', DEFAULT_NAMESPACE, name);
  const state = node ? kubeletState(node) : undefined;
  if (!node || (state !== 'silent' && state !== 'crashed')) return undefined;
  const address = node.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? name;
  const place = `${address}:${KUBELET_PORT}`;
  return { place, why: `dial tcp ${place}: connect: connection refused` };
}

function unreached(message: string): StatusError {
  return new StatusError({ code: 500, reason: '', message });
}
