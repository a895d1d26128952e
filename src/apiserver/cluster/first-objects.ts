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
  const all = [
    ...defaultAccess(),
    ...localApiServices(context).map((object) => ({ resource: 'apiservices', object })),
  ].map(({ resource, object }) => ({ resource, object: madeByServer(object, clock) }));
  for (const [resource, objects] of Object.entries(defaultFlows(clock)))
    all.push(...objects.map((object) => ({ resource, object })));
  const places = new Map<string, { readonly resource: string; readonly objects: KubeObject[] }>();
  for (const { resource, object } of all) {
    const key = `${resource} ${object.metadata.namespace ?? DEFAULT_NAMESPACE}`;
    const place = places.get(key) ?? { resource, objects: [] };
    place.objects.push(object);
    places.set(key, place);
  }
  for (const { resource, objects } of places.values()) store.createFirst(resource, objects);
}
