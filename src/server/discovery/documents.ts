import { createHash } from 'node:crypto';
import { formatYaml } from '../../print/index.ts';
import {
  type ApiAnswer,
  apiVersionOf,
  type RouteRequest,
  type ServedResource,
  type ServerContext,
} from '../../apiserver/index.ts';
import { negotiate } from '../http/media-types.ts';
import { missingPage } from '../http/plain-pages.ts';
import { byName, groupsOf, type ServedGroup } from './served-groups.ts';

/** The bytes of a hash that tell one version from another. */
const HASH_BYTES = 8;

/** The versions of the aggregated documents. Their content is the same. */
type DocumentVersion = 'v2' | 'v2beta1';

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
  if (group === undefined) return missingPage(raw.url ?? '', context);
  return document(raw, { kind: 'APIGroup', apiVersion: 'v1', ...groupDocument(group) });
}

/** `/api/v1` and `/apis/GROUP/VERSION`. */
export function resourcesOfVersion({ raw, params }: RouteRequest, context: ServerContext): ApiAnswer {
  const { group = '', version = '' } = params;
  const served = context.resources.of(group, version);
  if (served.length === 0) return missingPage(raw.url ?? '', context);
  return document(raw, {
    kind: 'APIResourceList',
    ...(group !== '' && { apiVersion: 'v1' }),
    groupVersion: apiVersionOf({ group, version }),
    resources: byName(served).flatMap(plainEntries),
  });
}

function groupDocument({ name, versions }: ServedGroup): object {
  const all = versions.map(({ version, apiVersion }) => ({ groupVersion: apiVersion, version }));
  return { name, versions: all, preferredVersion: all[0] };
}

function aggregated(
  raw: RouteRequest['raw'],
  groups: readonly ServedGroup[],
  documentVersion: DocumentVersion,
): ApiAnswer {
  const content = {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${documentVersion}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: { ...(name !== '' && { name }) },
      versions: versions.map(({ version, resources }) => ({
        version,
        freshness: resources === undefined ? 'Stale' : 'Current',
        resources: (resources ?? []).map((one) => ('plural' in one ? aggregatedEntry(one) : one)),
      })),
    })),
  };
  return document(raw, content, `application/json;g=apidiscovery.k8s.io;v=${documentVersion};as=APIGroupDiscoveryList`);
}

function aggregatedEntry(resource: ServedResource): object {
  const { plural, kind, isNamespaced, singular, verbs, shortNames, categories, subresources } = resource;
  // As in Go, where kinds of definitions name their group and version, and Kubernetes' own do not.
  const { group, version } = resource.custom?.isTyped === false ? resource : { group: '', version: '' };
  return {
    resource: plural,
    responseKind: { group, version, kind },
    scope: isNamespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: inOrder(resource).map((entry) => ({
        subresource: entry.name,
        responseKind: { group: entry.group ?? group, version: entry.version ?? version, kind: entry.kind },
        verbs: entry.verbs,
      })),
    }),
  };
}

function plainEntries(resource: ServedResource): object[] {
  const { plural, kind, isNamespaced, singular, verbs, shortNames, categories } = resource;
  return [
    {
      name: plural,
      singularName: singular,
      namespaced: isNamespaced,
      kind,
      verbs,
      ...(shortNames.length > 0 && { shortNames }),
      ...(categories.length > 0 && { categories }),
      ...(resource.storage !== '' && { storageVersionHash: storageHash(resource) }),
    },
    ...inOrder(resource).map((entry) => ({
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

/** The subresources in the order of their names. A custom kind declares them in its own order. */
function inOrder({ subresources, custom }: ServedResource): ServedResource['subresources'] {
  if (custom?.isTyped === false) return subresources;
  return subresources.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/**
 * Tells clients that migrate objects which version is stored.
 * Source: apiserver/pkg/endpoints/discovery/storageversionhash.go.
 */
function storageHash(resource: ServedResource): string {
  const { storedAs = apiVersionOf(resource), kind } = resource;
  const named = `${storedAs.includes('/') ? '' : '/'}${storedAs}/${kind}`;
  return createHash('sha256').update(named).digest().subarray(0, HASH_BYTES).toString('base64');
}

/** The first version of the aggregated documents that a client takes, if it takes one before plain JSON. */
function aggregatedVersion(accept = ''): DocumentVersion | undefined {
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

const PAGE = { isPlain: true, from: 'page' } as const;

/** Clients keep a document, and ask whether it has changed. */
function document({ headers }: RouteRequest['raw'], content: object, aggregatedType?: string): ApiAnswer {
  const { syntax } = aggregatedType === undefined ? negotiate(headers.accept, PAGE) : { syntax: 'json' };
  const text = syntax === 'yaml' ? formatYaml(content) : `${JSON.stringify(content)}\n`;
  const type = aggregatedType ?? `application/${syntax}`;
  const tag = `"${createHash('sha256').update(text).digest('hex').toUpperCase()}"`;
  const about = { ETag: tag, 'Cache-Control': 'public', Vary: 'Accept' };
  if (headers['if-none-match'] === tag) return { text: '', type, code: 304, headers: about };
  return { text, type, headers: about };
}
