import { DEFAULT_NAMESPACE, type JsonObject, type KubeObject } from '../../api/index.ts';
import type { HookObjects } from '../../apiserver/index.ts';
import { type ApiClient, messageOf } from './api-client.ts';
import { callFor, placeOnServer, withNamespace } from './object-place.ts';

/**
 * The objects of hooks on the server of a run.
 * @param namespace the namespace of hooks that name none
 */
export function hookObjectsOn(client: ApiClient, namespace: string): HookObjects {
  const pathOf = async (object: KubeObject): Promise<string | undefined> => {
    const place = await placeOnServer(client, object, namespace);
    return 'reason' in place ? undefined : `${place.collection}/${encodeURIComponent(object.metadata.name ?? '')}`;
  };
  return {
    create: async (object) => {
      const place = await placeOnServer(client, object, namespace);
      if ('reason' in place) return place;
      const body: JsonObject = { ...withNamespace(object, place.namespace) };
      const path = `${place.collection}?fieldManager=helm&fieldValidation=Strict`;
      const created = await callFor(client, place.namespace, { method: 'POST', path, body });
      if (created.code >= 300) return { reason: messageOf(created) };
      return { namespace: place.namespace ?? DEFAULT_NAMESPACE, name: object.metadata.name ?? '' };
    },
    remove: async (object) => {
      const path = await pathOf(object);
      if (path === undefined) return false;
      const body = { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background' };
      const deleted = await client.call({ method: 'DELETE', path, body });
      if (deleted.code === 404) return false;
      return deleted.code < 300 || { reason: messageOf(deleted) };
    },
    isGone: async (object) => {
      const path = await pathOf(object);
      return path === undefined || (await client.call({ method: 'GET', path })).code === 404;
    },
  };
}
