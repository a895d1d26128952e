import type { ServedResource, SubresourceEntry } from '../resources/served-resource.ts';
import { customVersionOf } from './custom-version.ts';
import type { Definition, DefinitionSpec, DefinitionVersion } from './definition/definition.ts';

const VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const CHANGED = ['get', 'patch', 'update'];

/** The resources that a definition adds to the server: one for each served version. */
export function servedResourcesOf(definition: Definition): ServedResource[] {
  const { metadata, spec, status } = definition;
  const names = status?.acceptedNames ?? spec.names;
  const stored = spec.versions.find(({ storage }) => storage);
  return spec.versions
    .filter(({ served }) => served)
    .map((version) => ({
      group: spec.group,
      version: version.name,
      plural: names.plural,
      singular: names.singular ?? names.kind.toLowerCase(),
      kind: names.kind,
      listKind: names.listKind ?? `${names.kind}List`,
      isNamespaced: spec.scope === 'Namespaced',
      shortNames: names.shortNames ?? [],
      categories: names.categories ?? [],
      verbs: VERBS,
      subresources: subresourcesOf(version, names.kind),
      storage: metadata.name ?? '',
      ...(stored !== undefined && { storedAs: `${spec.group}/${stored.name}` }),
      custom: customVersionOf(version, definition),
      deprecation: deprecationOf(version, spec),
    }));
}

/** Source: apiextensions, pkg/apiserver/customresource_handler.go, defaultDeprecationWarning. */
function deprecationOf(
  { name, deprecated, deprecationWarning }: DefinitionVersion,
  spec: DefinitionSpec,
): string | undefined {
  if (deprecated !== true) return undefined;
  if (deprecationWarning !== undefined) return deprecationWarning;
  const { group, names, versions } = spec;
  const other = versions.find((version) => version.served && version.deprecated !== true);
  const advice = other === undefined ? '' : `; use ${group}/${other.name} ${names.kind}`;
  return `${group}/${name} ${names.kind} is deprecated${advice}`;
}

function subresourcesOf({ subresources = {} }: DefinitionVersion, kind: string): SubresourceEntry[] {
  const status = subresources.status === undefined ? [] : [{ name: 'status', kind, verbs: CHANGED }];
  const scale = { name: 'scale', kind: 'Scale', group: 'autoscaling', version: 'v1', verbs: CHANGED };
  return subresources.scale === undefined ? status : [...status, scale];
}
