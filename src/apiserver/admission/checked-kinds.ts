import type { SchemaProps } from '../custom/base/schema.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import type { AdmissionRule } from './match-rules.ts';

/** The parts of a kind that checks of types need. */
export interface CheckableKind extends Pick<
  ServedResource,
  'group' | 'version' | 'plural' | 'singular' | 'kind' | 'custom'
> {
  /** The schema of a kind of another API server. */
  readonly published?: SchemaProps;
}

/** The most types that the rules of a policy are checked for. */
const TYPES_MAX = 10;

/**
 * The kinds that rules name, in their order by group, version and kind. What has a star is not checked, and neither are
 * subresources.
 */
export function kindsToCheck<K extends CheckableKind>(
  rules: readonly AdmissionRule[],
  served: readonly K[],
): readonly K[] {
  const kinds = new Set<K>();
  for (const rule of rules) {
    const named = namedKinds(rule, served).slice(0, TYPES_MAX);
    for (const kind of named) kinds.add(kind);
    if (named.length === TYPES_MAX) break;
  }
  const key = ({ group, version, kind }: CheckableKind): string => [group, version, kind].join(' ');
  return [...kinds].toSorted((one, other) => (key(one) < key(other) ? -1 : 1));
}

function namedKinds<K extends CheckableKind>(rule: AdmissionRule, served: readonly K[]): K[] {
  const { apiGroups = [], apiVersions = [], resources = [] } = rule;
  if ([...apiGroups, ...apiVersions].some((name) => name.includes('*'))) return [];
  const names = resources.filter((name) => !/[*/]/.test(name)).toSorted();
  const versions = apiGroups
    .toSorted()
    .flatMap((group) => apiVersions.toSorted().map((version) => ({ group, version })));
  return versions.flatMap((version) =>
    names.flatMap((name) => served.filter((one) => isNamed(one, { ...version, name }))),
  );
}

/** Without a group, the version of any group is meant. Source: apimachinery/pkg/api/meta/restmapper.go, KindsFor. */
function isNamed(
  { group, version, plural, singular }: CheckableKind,
  named: { readonly group: string; readonly version: string; readonly name: string },
): boolean {
  const name = named.name.toLowerCase();
  const isGroup = named.group === '' || named.group === group;
  return isGroup && version === named.version && (plural === name || singular === name);
}
