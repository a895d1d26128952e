import type { ServedResource, SubresourceEntry } from './served-resource.ts';

/** The verbs of kinds that are stored. */
export const STORED_VERBS: readonly string[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

/** The verbs of a subresource that is a part of the object. */
export const CHANGED: readonly string[] = ['get', 'patch', 'update'];

type Extras = Partial<
  Pick<
    ServedResource,
    | 'shortNames'
    | 'categories'
    | 'verbs'
    | 'storage'
    | 'storedAs'
    | 'singular'
    | 'custom'
    | 'conversion'
    | 'createsOnUpdate'
    | 'isNamedByUid'
    | 'needsVersion'
    | 'returnsDeleted'
    | 'noEffect'
    | 'deprecation'
  >
> & {
  readonly subresources?: readonly SubresourceEntry[];
};

/** A kind whose objects belong to a namespace. */
export function served(apiVersion: string, kind: string, plural: string, extras: Extras = {}): ServedResource {
  const slash = apiVersion.indexOf('/');
  return {
    group: slash < 0 ? '' : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    plural,
    singular: kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    isNamespaced: true,
    shortNames: [],
    categories: [],
    verbs: STORED_VERBS,
    subresources: [],
    storage: plural,
    ...extras,
  };
}

/** A kind whose objects belong to no namespace. */
export function clusterWide(apiVersion: string, kind: string, plural: string, extras: Extras = {}): ServedResource {
  return { ...served(apiVersion, kind, plural, extras), isNamespaced: false };
}

/** The subresource with the status of a kind. */
export const status = (kind: string): SubresourceEntry => ({ name: 'status', kind, verbs: CHANGED });
/** The subresource with the replicas of a workload. */
export const SCALE: SubresourceEntry = {
  name: 'scale',
  kind: 'Scale',
  group: 'autoscaling',
  version: 'v1',
  verbs: CHANGED,
};

/** A kind whose objects have a status, and with `SCALE` also replicas. */
export const withStatus = (kind: string, extras: Extras = {}): Extras => ({
  ...extras,
  subresources: [...(extras.subresources ?? []), status(kind)],
});
