import { DEFAULT_NAMESPACE, type KubeObject } from '../../api/index.ts';
import { defaultAccess } from '../access/default-roles.ts';
import type { ServerContext } from '../base/context.ts';
import { madeByServer } from './create-once.ts';
import { defaultFlows } from './default-flows.ts';
import { localApiServices } from './keep-local-api-services.ts';

/**
 * Stores most of the objects that every cluster has in a new state folder, all objects of a resource in one step: one
 * after the other they would be a quarter of the start of a server. Called before the objects are read. What keeps
 * these objects makes the rest, and in an older state folder all that is missing.
 */
export function storeFirstObjects(context: Pick<ServerContext, 'store' | 'clock' | 'resources'>): void {
  const { store, clock } = context;
  const ofServer = [
    ...defaultAccess(),
    ...localApiServices(context).map((object) => ({ resource: 'apiservices', object })),
  ];
  const places = new Map<
    string,
    { readonly resource: string; readonly namespace: string; readonly objects: KubeObject[] }
  >();
  for (const { resource, object } of ofServer) {
    const { namespace = DEFAULT_NAMESPACE } = object.metadata;
    const key = `${resource} ${namespace}`;
    const place = places.get(key) ?? { resource, namespace, objects: [] };
    place.objects.push(object);
    places.set(key, place);
  }
  for (const { resource, namespace, objects } of places.values())
    store.createFirst(resource, namespace, () => objects.map((object) => madeByServer(object, clock)));
  for (const [resource, objects] of Object.entries(defaultFlows(clock)))
    store.createFirst(resource, DEFAULT_NAMESPACE, () => objects);
}
