import {
  apiVersionOf,
  type DiscoveredResource,
  groupPriority,
  groupsInOrder,
  type ServedResource,
  type ServerContext,
} from '../../apiserver/index.ts';

/** A group of the server. */
export interface ServedGroup {
  readonly name: string;
  /** The preferred one first. */
  readonly versions: readonly ServedVersion[];
}

/** A version of a group. */
export interface ServedVersion {
  readonly version: string;
  /** `v1`, `apps/v1`. */
  readonly apiVersion: string;
  /** By name, or as another API server lists them. Undefined: that one cannot be asked. */
  readonly resources: readonly (ServedResource | DiscoveredResource)[] | undefined;
}

/** The groups in the order of the API server. A version may belong to another API server. */
export function groupsOf({ resources, aggregated }: ServerContext): ServedGroup[] {
  const own = new Map<string, ServedResource[]>();
  for (const resource of resources.all) {
    if (aggregated.find(resource.group, resource.version) !== undefined) continue;
    const apiVersion = apiVersionOf(resource);
    own.set(apiVersion, [...(own.get(apiVersion) ?? []), resource]);
  }
  const local = [...own].map(([apiVersion, some]) => {
    const { group = '', version = '' } = some[0] ?? {};
    return { group, version, apiVersion, resources: byName(some), priority: groupPriority(apiVersion) };
  });
  const foreign = aggregated.all.map((one) => ({ ...one, apiVersion: apiVersionOf(one) }));
  return groupsInOrder([...local, ...foreign]);
}

/** Resources in the order of the API server. */
export function byName(resources: readonly ServedResource[]): ServedResource[] {
  return resources.toSorted((one, other) => (one.plural < other.plural ? -1 : 1));
}
