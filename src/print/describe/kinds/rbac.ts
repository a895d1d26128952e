import {
  compareText,
  type RbacPolicyRule,
  type RbacRole,
  type RbacRoleBinding,
  type StoredKubeObject,
} from '../../../api/index.ts';
import { describeAnnotations, describeLabels, line } from '../lines.ts';

/** The verbs that are permitted on one resource of one group, or on one path. */
interface GrantedVerbs {
  readonly verbs: readonly string[];
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly names: readonly string[];
  readonly urls: readonly string[];
}

/** The lines of `describe` about a Role or ClusterRole: rules of one resource each, its verbs together. */
export function describeRole(role: StoredKubeObject & RbacRole): string[] {
  const permissions = compact((role.rules ?? []).flatMap(permissionsOf));
  return [
    ...describeHead(role),
    line(0, 'PolicyRule:'),
    line(1, 'Resources', 'Non-Resource URLs', 'Resource Names', 'Verbs'),
    line(1, '---------', '-----------------', '--------------', '-----'),
    ...permissions
      .toSorted((one, other) => compareText(sortText(one), sortText(other)))
      .map((each) => line(1, resourceText(each), list(each.urls), list(each.names), list(each.verbs))),
  ];
}

/** The lines of `describe` about a RoleBinding or ClusterRoleBinding. */
export function describeRoleBinding(binding: StoredKubeObject & RbacRoleBinding): string[] {
  const { roleRef, subjects = [] } = binding;
  return [
    ...describeHead(binding),
    line(0, 'Role:'),
    line(1, 'Kind:', roleRef.kind),
    line(1, 'Name:', roleRef.name),
    line(0, 'Subjects:'),
    line(1, 'Kind', 'Name', 'Namespace'),
    line(1, '----', '----', '---------'),
    ...subjects.map(({ kind, name, namespace = '' }) => line(1, kind, name, namespace)),
  ];
}

/** kubectl names no namespace here. */
function describeHead({ metadata }: StoredKubeObject): string[] {
  return [
    line(0, 'Name:', metadata.name),
    ...describeLabels('Labels', metadata.labels),
    ...describeAnnotations(metadata.annotations),
  ];
}

/**
 * The parts of a rule: one for each verb, and each resource or path.
 * Source: pkg/rbac/policy_comparator.go, BreakdownRule.
 */
function permissionsOf(rule: RbacPolicyRule): GrantedVerbs[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs } = rule;
  const names = resourceNames.length === 0 ? [[]] : resourceNames.map((name) => [name]);
  const ofResources = apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.flatMap((verb) =>
        names.map((own) => ({ verbs: [verb], groups: [group], resources: [resource], names: own, urls: [] })),
      ),
    ),
  );
  const ofPaths = nonResourceURLs.flatMap((url) =>
    verbs.map((verb) => ({ verbs: [verb], groups: [], resources: [], names: [], urls: [url] })),
  );
  return [...ofResources, ...ofPaths];
}

/** Puts the verbs of a resource together; the verbs of a path stay apart. Source: pkg/rbac, CompactRules. */
function compact(permissions: readonly GrantedVerbs[]): GrantedVerbs[] {
  const together = new Map<string, GrantedVerbs>();
  for (const each of permissions) {
    const key = JSON.stringify([each.groups, each.resources, each.names, each.urls, each.urls.length && each.verbs]);
    const known = together.get(key)?.verbs ?? [];
    together.set(key, { ...each, verbs: [...new Set([...known, ...each.verbs])] });
  }
  return [...together.values()];
}

/** The text by which kubectl sorts, as Go prints the struct. */
function sortText({ verbs, groups, resources, names, urls }: GrantedVerbs): string {
  const [verb, group, resource, name, url] = [verbs, groups, resources, names, urls].map(list);
  return `Verbs:${verb},APIGroups:${group},Resources:${resource},ResourceNames:${name},NonResourceURLs:${url}`;
}

/** The group stands before the subresource: `deployments.apps/scale`. */
function resourceText({ resources: [resource = ''], groups: [group = ''] }: GrantedVerbs): string {
  const slash = resource.includes('/') ? resource.indexOf('/') : resource.length;
  return `${resource.slice(0, slash)}${group === '' ? '' : `.${group}`}${resource.slice(slash)}`;
}

function list(values: readonly string[]): string {
  return `[${values.join(' ')}]`;
}
