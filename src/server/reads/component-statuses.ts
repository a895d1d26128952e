import { type ApiHandler, apiVersionOf, matcherOf, notFoundStatus, type ServerContext } from '../../apiserver/index.ts';

/** The components of a cluster of kubeadm. */
const COMPONENTS = ['controller-manager', 'etcd-0', 'scheduler'];

/**
 * Responds with the health of the parts of the control plane, for old clients. The store and the controllers are parts
 * of this server: they work as long as it responds. Source: pkg/registry/core/componentstatus/rest.go.
 */
export const componentStatusAnswer: ApiHandler = (request, context) => {
  const { resource, name, verb } = request;
  const apiVersion = apiVersionOf(resource);
  const matches = matcherOf(request);
  const items = COMPONENTS.map((component) => ({
    kind: resource.kind,
    apiVersion,
    metadata: { name: component },
    conditions: [{ type: 'Healthy', ...healthOf(component, context) }],
  })).filter(matches);
  if (verb !== 'get') return { object: { kind: resource.listKind, apiVersion, metadata: {}, items } };
  const [only] = items;
  if (only === undefined) throw notFoundStatus(resource, name ?? '');
  return { object: only };
};

function healthOf(component: string, { node }: ServerContext): object {
  if (component === 'etcd-0' || node !== undefined) return { status: 'True', message: 'ok' };
  return { status: 'False', message: 'this server only stores objects' };
}
