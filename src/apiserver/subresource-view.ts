import { DEFAULT_NAMESPACE, type KubeObject, type ResourceType, type StoredKubeObject } from '../api/index.ts';
import { noSuchSubresource } from '../manifest/index.ts';
import type { ObjectReader } from '../store/index.ts';
import type { Definition } from './custom/definition/definition.ts';
import { apiVersionOf, type ServedResource } from './resources/served-resource.ts';

/** A subresource of a kind, for a program without a server. */
export interface SubresourceView {
  /** The part of an object: the object itself, or its Scale. */
  readonly of: (object: StoredKubeObject) => KubeObject;
  /** Undefined: the part changes with the object. Otherwise the object with a changed Scale. */
  readonly into?: (object: StoredKubeObject, scale: KubeObject) => KubeObject;
}

/** The kind of the subresource with the replicas of a workload. */
const SCALE = 'Scale';

/**
 * Loads a subresource of a kind that can be read: status, scale, resize, ….
 * @throws {PodrunError} in the API server's words, when the kind has none of this name
 */
export async function loadPart(store: ObjectReader, type: ResourceType, name: string): Promise<SubresourceView> {
  const resource = await resourceOf(store, type);
  const entry = resource?.subresources.find((one) => one.name === name && one.verbs.includes('patch'));
  if (entry?.kind === type.kind) return { of: (object) => object };
  if (entry?.kind !== SCALE) throw noSuchSubresource();
  const { replicasOf, scaleOf, withReplicas } = await import('./subresources/scale-object.ts');
  const paths = resource?.custom?.scale;
  return {
    of: (object) => scaleOf(object, paths),
    into: (object, scale) => withReplicas(object, paths, replicasOf(scale)),
  };
}

async function resourceOf(store: ObjectReader, type: ResourceType): Promise<ServedResource | undefined> {
  if (type.custom === undefined) {
    const { BUILT_IN_RESOURCES } = await import('./built-in.ts');
    return BUILT_IN_RESOURCES.find((one) => one.kind === type.kind && apiVersionOf(one) === type.apiVersion);
  }
  const { servedResourcesOf } = await import('./custom/served-resources.ts');
  const definition = store.get('customresourcedefinitions', DEFAULT_NAMESPACE, type.custom.storage);
  return definition && servedResourcesOf(definition as Definition).find((one) => apiVersionOf(one) === type.apiVersion);
}
