import { isJsonObject, type JsonObject } from '../../api/index.ts';
import type { DiscoveredKind, DiscoveredResource, DiscoveredSubresource } from '../resources/aggregated-table.ts';

/**
 * The kinds in an APIResourceList of another API server, as the aggregated document lists them: subresources belong to
 * their resource. Source: apiserver/pkg/endpoints/installer.go, ConvertGroupVersionIntoToDiscovery.
 * @returns undefined for anything else than such a list
 */
export function discoveredResources(list: unknown): readonly DiscoveredResource[] | undefined {
  if (!isJsonObject(list) || list['kind'] !== 'APIResourceList' || !Array.isArray(list['resources'])) return undefined;
  const entries = (list['resources'] as unknown[]).filter(isJsonObject);
  const resources = new Map<string, DiscoveredResource>();
  for (const entry of entries) {
    const name = textIn(entry, 'name');
    if (name !== '' && !name.includes('/')) resources.set(name, { ...resourceOf(name, entry), ...resources.get(name) });
  }
  const subresources = new Map<string, DiscoveredSubresource[]>();
  for (const entry of entries) {
    const [name = '', subresource] = textIn(entry, 'name').split('/', 2);
    if (name === '' || subresource === undefined) continue;
    if (!resources.has(name)) resources.set(name, { ...resourceOf(name, entry), responseKind: NO_KIND, verbs: [] });
    const own = subresources.get(name) ?? [];
    subresources.set(name, own);
    own.push({ subresource, responseKind: kindOf(entry), verbs: textsIn(entry, 'verbs') });
  }
  return [...resources.values()].map((one) => {
    const own = subresources.get(one.resource);
    return own === undefined ? one : { ...one, subresources: own };
  });
}

const NO_KIND: DiscoveredKind = { group: '', version: '', kind: '' };

function resourceOf(resource: string, entry: JsonObject): DiscoveredResource {
  const [shortNames, categories] = [textsIn(entry, 'shortNames'), textsIn(entry, 'categories')];
  return {
    resource,
    responseKind: kindOf(entry),
    scope: entry['namespaced'] === true ? 'Namespaced' : 'Cluster',
    singularResource: textIn(entry, 'singularName'),
    verbs: textsIn(entry, 'verbs'),
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
  };
}

function kindOf(entry: JsonObject): DiscoveredKind {
  return { group: textIn(entry, 'group'), version: textIn(entry, 'version'), kind: textIn(entry, 'kind') };
}

function textIn(entry: JsonObject, field: string): string {
  const value = entry[field];
  return typeof value === 'string' ? value : '';
}

function textsIn(entry: JsonObject, field: string): string[] {
  const value = entry[field];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}
