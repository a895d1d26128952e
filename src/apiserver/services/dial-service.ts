import type { Socket } from 'node:net';
import type { StoredEndpointSlice, StoredService } from '../../api/index.ts';
import { dialHere, endpointsFor, slicesOf } from '../../network/index.ts';
import type { ServerContext } from '../base/context.ts';

/**
 * Connects to a ready endpoint of a Service, in whichever network it is. Rejects in the API server's words. Source:
 * apiserver/pkg/util/proxy/proxy.go, ResolveCluster.
 */
export async function dialService(
  service: StoredService | undefined,
  { name, port }: { readonly name: string; readonly port: number },
  { objects, node }: Pick<ServerContext, 'objects' | 'node'>,
): Promise<Socket> {
  if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  const { ports = [], clusterIP = '' } = service.spec ?? {};
  if (clusterIP === 'None') throw new Error('cannot route to service with ClusterIP "None"');
  const servicePort = ports.find((one) => one.port === port);
  if (servicePort === undefined) throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
  const slices = objects.list('endpointslices', service.metadata.namespace) as unknown as StoredEndpointSlice[];
  const endpoints = endpointsFor(servicePort, slicesOf(service, slices));
  const endpoint = endpoints[Math.floor(Math.random() * endpoints.length)];
  if (endpoint === undefined) throw new Error(`dial tcp ${clusterIP}:${port}: connect: connection refused`);
  return node === undefined ? dialHere(endpoint.address, endpoint.port) : node.dialEndpoint(endpoint);
}
