import { createHash } from 'node:crypto';
import {
  type ApiAnswer,
  apiVersionOf,
  noSuchPath,
  type RouteRequest,
  type ServedResource,
  type ServerContext,
} from '../../apiserver/index.ts';

/** The versions of the aggregated documents. Their content is the same. */
type AggregatedVersion = 'v2' | 'v2beta1';

/** `/api`: the core group. */
export function coreVersions({ raw }: RouteRequest, context: ServerContext): ApiAnswer {
  const groups = groupsOf(context).filter(({ name }) => name === '');
  const version = aggregatedVersion(raw.headers.accept);
  if (version !== undefined) return aggregated(raw, groups, version);
  const clientCIDR = '0.0.0.0/0';
  const serverAddressByClientCIDRs = [{ clientCIDR, serverAddress: new URL(context.config.url).host }];
  return document(raw, { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs });
}

/** `/apis`: the other groups. */
export function namedGroups({ raw }: RouteRequest, context: ServerContext): ApiAnswer {
  const groups = groupsOf(context).filter(({ name }) => name !== '');
  const version = aggregatedVersion(raw.headers.accept);
  if (version !== undefined) return aggregated(raw, groups, version);
  return document(raw, { kind: 'APIGroupList', apiVersion: 'v1', groups: groups.map(groupDocument) });
}

/** `/apis/GROUP`. */
export function oneGroup({ raw, params }: RouteRequest, context: ServerContext): ApiAnswer {
  const group = groupsOf(context).find(({ name }) => name === params['group']);
  if (group === undefined) throw noSuchPath();
  return document(raw, { kind: 'APIGroup', apiVersion: 'v1', ...groupDocument(group) });
}

/** `/api/v1` and `/apis/GROUP/VERSION`. */
export function resourcesOfVersion({ raw, params }: RouteRequest, { resources }: ServerContext): ApiAnswer {
  const { group = '', version = '' } = params;
  const served = resources.of(group, version);
  if (served.length === 0) throw noSuchPath();
  return document(raw, {
    kind: 'APIResourceList',
    ...(group !== '' && { apiVersion: 'v1' }),
    groupVersion: apiVersionOf({ group, version }),
    resources: served.flatMap(plainEntries),
  });
}

interface ServedGroup {
  readonly name: string;
  /** The preferred one first. */
  readonly versions: readonly { readonly version: string; readonly resources: readonly ServedResource[] }[];
}

/** The groups in the order of the API server: the core group, Kubernetes' groups, then custom ones by name. */
function groupsOf({ resources }: ServerContext): ServedGroup[] {
  const names = [...new Set(resources.all.map(({ group }) => group))];
  return names.map((name) => {
    const inGroup = resources.all.filter(({ group }) => group === name);
    const versions = [...new Set(inGroup.map(({ version }) => version))].toSorted(compareVersions);
    return {
      name,
      versions: versions.map((version) => ({
        version,
        resources: inGroup.filter((resource) => resource.version === version),
      })),
    };
  });
}

function groupDocument({ name, versions }: ServedGroup): object {
  const all = versions.map(({ version }) => ({ groupVersion: apiVersionOf({ group: name, version }), version }));
  return { name, versions: all, preferredVersion: all[0] };
}

function aggregated(
  raw: RouteRequest['raw'],
  groups: readonly ServedGroup[],
  documentVersion: AggregatedVersion,
): ApiAnswer {
  const content = {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${documentVersion}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: { ...(name !== '' && { name }), creationTimestamp: null },
      versions: versions.map(({ version, resources }) => ({
        version,
        freshness: 'Current',
        resources: resources.map(aggregatedEntry),
      })),
    })),
  };
  return document(raw, content, `application/json;g=apidiscovery.k8s.io;v=${documentVersion};as=APIGroupDiscoveryList`);
}

function aggregatedEntry(resource: ServedResource): object {
  const { plural, kind, isNamespaced, singular, verbs, shortNames, categories, subresources } = resource;
  return {
    resource: plural,
    responseKind: { group: resource.group, version: resource.version, kind },
    scope: isNamespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map((entry) => ({
        subresource: entry.name,
        responseKind: {
          group: entry.group ?? resource.group,
          version: entry.version ?? resource.version,
          kind: entry.kind,
        },
        verbs: entry.verbs,
      })),
    }),
  };
}

function plainEntries(resource: ServedResource): object[] {
  const { plural, kind, isNamespaced, singular, verbs, shortNames, categories, subresources } = resource;
  return [
    {
      name: plural,
      singularName: singular,
      namespaced: isNamespaced,
      kind,
      verbs,
      ...(shortNames.length > 0 && { shortNames }),
      ...(categories.length > 0 && { categories }),
    },
    ...subresources.map((entry) => ({
      name: `${plural}/${entry.name}`,
      singularName: '',
      namespaced: isNamespaced,
      ...(entry.group !== undefined && { group: entry.group }),
      ...(entry.version !== undefined && { version: entry.version }),
      kind: entry.kind,
      verbs: entry.verbs,
    })),
  ];
}

/** The first version of the aggregated documents that a client takes, if it takes one before plain JSON. */
function aggregatedVersion(accept = ''): AggregatedVersion | undefined {
  for (const range of accept.split(',')) {
    const [type, ...parameters] = range.split(';').map((part) => part.trim());
    const of = new Map(parameters.map((parameter) => parameter.split('=', 2) as [string, string]));
    if (type !== 'application/json') continue;
    if (!of.has('as')) return undefined;
    const version = of.get('v');
    const isList = of.get('g') === 'apidiscovery.k8s.io' && of.get('as') === 'APIGroupDiscoveryList';
    if (isList && (version === 'v2' || version === 'v2beta1')) return version;
  }
  return undefined;
}

/** Clients keep a document, and ask whether it has changed. */
function document({ headers }: RouteRequest['raw'], content: object, type = 'application/json'): ApiAnswer {
  const text = `${JSON.stringify(content)}\n`;
  const tag = `"${createHash('sha256').update(text).digest('hex').toUpperCase()}"`;
  const about = { ETag: tag, 'Cache-Control': 'public', Vary: 'Accept' };
  if (headers['if-none-match'] === tag) return { text: '', type, code: 304, headers: about };
  return { text, type, headers: about };
}

/** `v2`, `v1`, `v1beta2`, `v1alpha1`, then all other versions by name. Source: apimachinery/pkg/version/helpers.go. */
function compareVersions(one: string, other: string): number {
  const rankOf = (text: string): readonly number[] => {
    const [, major = '', stage, minor = '0'] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(text) ?? [];
    if (major === '') return [3, 0, 0];
    return [stage === undefined ? 0 : stage === 'beta' ? 1 : 2, -Number(major), -Number(minor)];
  };
  const [a, b] = [rankOf(one), rankOf(other)];
  const differs = a.findIndex((rank, index) => rank !== b[index]);
  return differs < 0 ? (one < other ? -1 : 1) : (a[differs] ?? 0) - (b[differs] ?? 0);
}
