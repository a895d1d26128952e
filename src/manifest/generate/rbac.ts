import { type KubeObject, type ResourceType, usage } from '../../api/index.ts';

const RBAC = 'rbac.authorization.k8s.io';
const API_VERSION = `${RBAC}/v1`;

/** The parts of the rules of a new role. */
export interface RoleRules {
  readonly verbs: readonly string[];
  /** `pods`, `deployments.apps`, `pods/log`, `*`. */
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/**
 * The rules of a new role: one for each group, then one for URLs. Source: kubectl/pkg/cmd/create/create_role.go.
 * @param typeNamed finds a type by its name; throws when there is none
 * @throws {PodrunError} (usage) in kubectl's words, and what `typeNamed` throws
 */
export function newRules(wanted: RoleRules, typeNamed: (word: string) => ResourceType): object[] {
  const verbs = wanted.verbs.includes('*') ? ['*'] : [...new Set(wanted.verbs)];
  const groups = new Map<string, Set<string>>();
  for (const text of wanted.resources.includes('*') ? ['*'] : wanted.resources) {
    const { group, resource } = resourceIn(text, typeNamed);
    groups.set(group, (groups.get(group) ?? new Set()).add(resource));
  }
  const { resourceNames, nonResourceURLs } = wanted;
  return [
    ...[...groups.keys()].toSorted().map((group) => ({
      apiGroups: [group],
      ...(resourceNames.length > 0 && { resourceNames: [...new Set(resourceNames)] }),
      resources: [...(groups.get(group) ?? [])],
      verbs,
    })),
    ...(nonResourceURLs.length === 0 ? [] : [{ nonResourceURLs: [...new Set(nonResourceURLs)], verbs }]),
  ];
}

function resourceIn(text: string, typeNamed: (word: string) => ResourceType): { group: string; resource: string } {
  const [name = '', part] = text.split(/\/(.*)/s);
  const suffix = part ? `/${part}` : '';
  const [word = '', ofGroup = ''] = name.split(/\.(.*)/s);
  if (word === '') throw usage('resource must be specified if apiGroup/subresource specified');
  if (word === '*') return { group: ofGroup, resource: `*${suffix}` };
  const { plural, apiVersion } = typeNamed(name);
  const [group = '', version] = apiVersion.split('/');
  return { group: version === undefined ? '' : group, resource: `${plural}${suffix}` };
}

/** A Role or ClusterRole. */
export function newRole(kind: 'ClusterRole' | 'Role', name: string, rules: readonly object[] | null): KubeObject {
  return { apiVersion: API_VERSION, kind, metadata: { name }, rules };
}

/** The subjects of a new binding. */
export interface Subjects {
  readonly users: readonly string[];
  readonly groups: readonly string[];
  /** `NAMESPACE:NAME`. */
  readonly accounts: readonly string[];
}

/**
 * A RoleBinding or ClusterRoleBinding. Source: kubectl/pkg/cmd/create/create_rolebinding.go.
 * @throws {PodrunError} (usage) in kubectl's words
 */
export function newBinding(
  kind: 'ClusterRoleBinding' | 'RoleBinding',
  name: string,
  role: { readonly kind: 'ClusterRole' | 'Role'; readonly name: string },
  { users, groups, accounts }: Subjects,
): KubeObject {
  const named = (of: string, names: readonly string[]): object[] =>
    names.map((each) => ({ apiGroup: RBAC, kind: of, name: each }));
  const subjects = [...named('User', users), ...named('Group', groups), ...accounts.map(accountIn)];
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: { name },
    roleRef: { apiGroup: RBAC, ...role },
    ...(subjects.length > 0 && { subjects }),
  };
}

function accountIn(text: string): object {
  const [namespace = '', name, ...rest] = text.split(':');
  if (namespace === '' || !name || rest.length > 0) throw usage('serviceaccount must be <namespace>:<name>');
  return { kind: 'ServiceAccount', name, namespace };
}
