import type { KubeObject } from '../../api/index.ts';
import { CONTROLLER_ROLES } from './controller-roles.ts';
import type { BoundSubject, PolicyRule } from './permissions.ts';
import { ruleOfLine } from './role-lines.ts';
import { COLLECTED_ROLES, NAMESPACE_ROLES, SYSTEM_BINDINGS, SYSTEM_ROLES } from './system-roles.ts';

const GROUP = 'rbac.authorization.k8s.io';
/** A role with this label of `true` gives its rules to the role behind the dash. */
const AGGREGATE_TO = `${GROUP}/aggregate-to-`;
const BOOTSTRAPPING = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };
/** The annotation of what gets back at the next start what it lacks. */
export const AUTO_UPDATE = 'rbac.authorization.kubernetes.io/autoupdate';

/** An object of the access that every cluster has. */
export interface DefaultAccess {
  readonly resource: 'clusterroles' | 'clusterrolebindings' | 'roles' | 'rolebindings';
  readonly object: AccessObject;
}

interface AccessObject extends KubeObject {
  readonly rules?: readonly PolicyRule[];
  readonly subjects?: readonly BoundSubject[];
}

interface Named {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

const head = (kind: string, { name, namespace, labels }: Named): AccessObject => ({
  apiVersion: `${GROUP}/v1`,
  kind,
  metadata: {
    name,
    ...(namespace !== undefined && { namespace }),
    labels: { ...BOOTSTRAPPING, ...labels },
    annotations: { [AUTO_UPDATE]: 'true' },
  },
});

const clusterRole = (named: Named, lines: readonly string[]): AccessObject => ({
  ...head('ClusterRole', named),
  rules: lines.map(ruleOfLine),
});

function binding(named: Named, role: string, subjects: readonly string[]): AccessObject {
  const isNamespaced = named.namespace !== undefined;
  return {
    ...head(isNamespaced ? 'RoleBinding' : 'ClusterRoleBinding', named),
    ...(subjects.length > 0 && { subjects: subjects.map(subjectOf) }),
    roleRef: { apiGroup: GROUP, kind: isNamespaced ? 'Role' : 'ClusterRole', name: role },
  };
}

function subjectOf(text: string): BoundSubject {
  const [kind = '', name = ''] = text.split(' ');
  if (kind === 'ServiceAccount') return { kind, name, namespace: 'kube-system' };
  return { kind, apiGroup: GROUP, name };
}

const to = (name: string): Readonly<Record<string, string>> => ({ [AGGREGATE_TO + name]: 'true' });

/** A ClusterRole that collects the rules of the ClusterRoles with a label. */
const collecting = (name: string, labels: Readonly<Record<string, string>>): AccessObject => ({
  ...head('ClusterRole', { name, labels }),
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: to(name) }] },
  rules: [],
});

const accountRole = (name: string): string => `system:controller:${name}`;

/** The ClusterRoles, Roles and bindings that every cluster has from the start. */
export function defaultAccess(): DefaultAccess[] {
  const clusterRoles = [
    collecting('admin', {}),
    collecting('edit', to('admin')),
    collecting('view', to('edit')),
    ...Object.entries(COLLECTED_ROLES).map(([name, lines]) =>
      clusterRole({ name: `system:aggregate-to-${name}`, labels: to(name) }, lines),
    ),
    ...Object.entries(SYSTEM_ROLES).map(([name, lines]) => clusterRole({ name }, lines)),
    ...Object.entries(CONTROLLER_ROLES).map(([name, lines]) => clusterRole({ name: accountRole(name) }, lines)),
  ];
  const clusterRoleBindings = [
    ...Object.entries(SYSTEM_BINDINGS).map(([name, subjects]) => binding({ name }, name, subjects)),
    ...Object.keys(CONTROLLER_ROLES).map((name) =>
      binding({ name: accountRole(name) }, accountRole(name), [`ServiceAccount ${name}`]),
    ),
  ];
  const roles = NAMESPACE_ROLES.map(({ namespace, role: name, rules }) => ({
    ...head('Role', { name, namespace }),
    rules: rules.map(ruleOfLine),
  }));
  const roleBindings = NAMESPACE_ROLES.map(({ namespace, role, subjects, binding: name = role }) =>
    binding({ name, namespace }, role, subjects),
  );
  const all = {
    clusterroles: clusterRoles,
    clusterrolebindings: clusterRoleBindings,
    roles,
    rolebindings: roleBindings,
  };
  return Object.entries(all).flatMap(([resource, objects]) =>
    objects.map((object) => ({ resource: resource as DefaultAccess['resource'], object })),
  );
}
