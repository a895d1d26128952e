import { isJsonObject, type KubeObject } from '../../api/index.ts';
import { type ApiCall, type ApiClient, type ApiResponse, messageOf } from './api-client.ts';

/** The place of an object on an API server. */
export interface ObjectPlace {
  /** The path of its collection: `/api/v1/namespaces/default/configmaps`. */
  readonly collection: string;
  /** Undefined: the objects belong to none. */
  readonly namespace: string | undefined;
}

/**
 * The place of an object, as discovery knows it, or the reason why it has none yet.
 * @param namespace the namespace of objects that name none
 */
export async function placeOnServer(
  client: ApiClient,
  { apiVersion, kind, metadata }: KubeObject,
  namespace: string,
): Promise<ObjectPlace | { readonly reason: string }> {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const known = await client.call({ method: 'GET', path: root });
  const resources = Array.isArray(known.body['resources']) ? known.body['resources'].filter(isJsonObject) : [];
  const resource = resources.find((each) => each['kind'] === kind && !String(each['name']).includes('/'));
  if (resource === undefined) {
    const reason = `no matches for kind "${kind}" in version "${apiVersion}"`;
    return { reason: known.code === 503 ? messageOf(known) : reason };
  }
  const plural = String(resource['name']);
  if (resource['namespaced'] !== true) return { collection: `${root}/${plural}`, namespace: undefined };
  const own = metadata.namespace ?? namespace;
  return { collection: `${root}/namespaces/${encodeURIComponent(own)}/${plural}`, namespace: own };
}

/** The object with the namespace of its place. */
export function withNamespace(object: KubeObject, namespace: string | undefined): KubeObject {
  const { namespace: _, ...metadata } = object.metadata;
  return { ...object, metadata: namespace === undefined ? metadata : { ...metadata, namespace } };
}

/**
 * Calls a server about a new object. A namespace that does not exist is made: objects bring theirs into being wherever
 * podrun stores them.
 */
export async function callFor(client: ApiClient, namespace: string | undefined, call: ApiCall): Promise<ApiResponse> {
  const response = await client.call(call);
  const isMissing = response.code === 404 && messageOf(response) === `namespaces "${namespace}" not found`;
  if (namespace === undefined || !isMissing) return response;
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await client.call({ method: 'POST', path: '/api/v1/namespaces', body });
  return client.call(call);
}
