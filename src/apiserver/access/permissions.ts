import type { StoredKubeObject } from '../../api/index.ts';
import type { ServerContext } from '../base/context.ts';
import type { ApiUser } from '../base/request.ts';

/** The attributes of a review of access. */
export interface Attributes {
  readonly namespace?: string | undefined;
  readonly verb?: string | undefined;
  readonly group?: string | undefined;
  readonly resource?: string | undefined;
  readonly subresource?: string | undefined;
  readonly name?: string | undefined;
  /** The path of a request that is about no object. */
  readonly path?: string | undefined;
}

/** A rule of a Role or ClusterRole. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** A user, group or ServiceAccount to which a binding gives a role. */
export interface BoundSubject {
  readonly kind: string;
  readonly apiGroup?: string;
  readonly name: string;
  readonly namespace?: string;
}

interface RoleBinding {
  readonly subjects?: readonly BoundSubject[];
  readonly roleRef: { readonly kind: string; readonly name: string };
}

const MASTERS = 'system:masters';
/** The rules of users who may do everything. */
export const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** True when a user may do something. */
export function isPermitted(user: ApiUser, wanted: Attributes, context: ServerContext): boolean {
  return grantFor(user, wanted, context) !== undefined;
}

/**
 * Why a user may do something, in RBAC's words; empty when no binding says so. Undefined: the user may not.
 * Source: plugin/pkg/auth/authorizer/rbac/rbac.go.
 */
export function reasonOfPermission(user: ApiUser, wanted: Attributes, context: ServerContext): string | undefined {
  const grant = grantFor(user, wanted, context);
  if (grant === undefined || grant.by === undefined) return grant && '';
  const { binding, subject } = grant.by;
  const { name, namespace } = binding.metadata;
  const { roleRef } = binding;
  const isOfCluster = binding.kind === 'ClusterRoleBinding';
  const named = JSON.stringify(isOfCluster ? name : `${name}/${namespace}`);
  const isAccount = subject.kind === 'ServiceAccount';
  const who = JSON.stringify(isAccount ? `${subject.name}/${subject.namespace || namespace}` : subject.name);
  const role = `${roleRef.kind} ${JSON.stringify(roleRef.name)}`;
  return `RBAC: allowed by ${binding.kind} ${named} of ${role} to ${subject.kind} ${who}`;
}

/** Rules that hold for a user, with the binding that says so. Without one, they hold for everyone like this user. */
interface Grant {
  readonly rules: readonly PolicyRule[];
  readonly by?: { readonly binding: RoleBinding & StoredKubeObject; readonly subject: BoundSubject };
}

function grantFor(user: ApiUser, wanted: Attributes, context: ServerContext): Grant | undefined {
  const grants = grantsOf(user, wanted.namespace ?? '', context);
  return grants.find(({ rules }) => rules.some((rule) => permits(rule, wanted)));
}

/** The rules that hold for a user in a namespace. Empty: at the scope of the cluster. */
export function rulesOf(user: ApiUser, namespace: string, context: ServerContext): readonly PolicyRule[] {
  return grantsOf(user, namespace, context).flatMap(({ rules }) => rules);
}

function grantsOf(user: ApiUser, namespace: string, context: ServerContext): readonly Grant[] {
  if (user.groups.includes(MASTERS)) return [{ rules: EVERYTHING }];
  if (context.config.authorization === 'always-allow')
    return user.groups.includes('system:unauthenticated') ? [] : [{ rules: EVERYTHING }];
  return [
    ...grantsIn(user, 'clusterrolebindings', undefined, context),
    ...(namespace === '' ? [] : grantsIn(user, 'rolebindings', namespace, context)),
  ];
}

function grantsIn(user: ApiUser, resource: string, namespace: string | undefined, { objects }: ServerContext): Grant[] {
  const bindings = objects.list(resource, namespace) as unknown as readonly (RoleBinding & StoredKubeObject)[];
  return bindings.flatMap((binding) => {
    const subject = subjectOf(user, binding);
    if (subject === undefined) return [];
    const { roleRef } = binding;
    const role =
      roleRef.kind === 'ClusterRole'
        ? objects.get('clusterroles', undefined, roleRef.name)
        : objects.get('roles', namespace, roleRef.name);
    return [{ rules: (role?.['rules'] ?? []) as PolicyRule[], by: { binding, subject } }];
  });
}

/** The subject of a binding that is this user, or a group of the user. */
function subjectOf(
  { name, groups }: ApiUser,
  { subjects = [], metadata }: RoleBinding & StoredKubeObject,
): BoundSubject | undefined {
  return subjects.find((subject) => {
    if (subject.kind === 'User') return subject.name === name;
    if (subject.kind === 'Group') return groups.includes(subject.name);
    return name === `system:serviceaccount:${subject.namespace ?? metadata.namespace}:${subject.name}`;
  });
}

/** Source: pkg/apis/rbac/v1/evaluation_helpers.go. */
function permits(
  rule: PolicyRule,
  { verb = '', group = '', resource = '', subresource, name, path }: Attributes,
): boolean {
  if (!has(rule.verbs, verb)) return false;
  if (path !== undefined) return (rule.nonResourceURLs ?? []).some((pattern) => fits(pattern, path));
  const what = subresource ? `${resource}/${subresource}` : resource;
  const names = rule.resourceNames ?? [];
  return (
    coversResource(rule.resources ?? [], what) &&
    has(rule.apiGroups ?? [], group) &&
    (names.length === 0 || names.includes(name ?? ''))
  );
}

/**
 * True when a rule permits all that a part of another one does: of one verb, and one resource or path.
 * Source: component-helpers/auth/rbac/validation/policy_comparator.go ruleCovers.
 */
export function covers(rule: PolicyRule, part: PolicyRule): boolean {
  const names = rule.resourceNames ?? [];
  const wantedNames = part.resourceNames ?? [];
  const isNamed = names.length === 0 || (wantedNames.length > 0 && wantedNames.every((name) => names.includes(name)));
  return (
    isNamed &&
    part.verbs.every((verb) => has(rule.verbs, verb)) &&
    (part.apiGroups ?? []).every((group) => has(rule.apiGroups ?? [], group)) &&
    (part.resources ?? []).every((what) => coversResource(rule.resources ?? [], what)) &&
    (part.nonResourceURLs ?? []).every((url) => (rule.nonResourceURLs ?? []).some((pattern) => fits(pattern, url)))
  );
}

function coversResource(resources: readonly string[], what: string): boolean {
  const [, subresource] = what.split('/');
  return has(resources, what) || (subresource !== undefined && resources.includes(`*/${subresource}`));
}

function has(list: readonly string[], value: string): boolean {
  return list.includes('*') || list.includes(value);
}

function fits(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path;
}
