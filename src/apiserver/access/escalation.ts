import { goQuote, isSameJson, type KubeObject } from '../../api/index.ts';
import type { ServerContext } from '../base/context.ts';
import type { ApiRequest, ApiUser } from '../base/request.ts';
import { notFoundStatus, objectForbidden } from '../base/status-error.ts';
import { missingRules } from './missing-rules.ts';
import { EVERYTHING, isPermitted, type PolicyRule, rulesOf } from './permissions.ts';

const GROUP = 'rbac.authorization.k8s.io';

interface Role extends KubeObject {
  readonly rules?: readonly PolicyRule[];
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly unknown[] };
}

interface Binding extends KubeObject {
  readonly roleRef?: { readonly kind: string; readonly name: string };
}

/**
 * Refuses a write of a role or a binding that gives permissions which the user does not have. The verb `escalate`
 * permits it for roles, `bind` for bindings. Source: pkg/registry/rbac, the storages in policybased.
 * @throws {StatusError} 403
 */
export function refuseEscalation(
  request: ApiRequest,
  context: ServerContext,
  { before, after }: { readonly before: KubeObject | undefined; readonly after: KubeObject },
): void {
  if (request.resource.group !== GROUP || (before !== undefined && isSameJson(ruling(before), ruling(after)))) return;
  if (request.resource.plural.endsWith('roles')) checkRole(request, context, { before, after });
  else checkBinding(request, context, after);
}

/** The object without the fields that the garbage collector changes. Source: rbac/helpers.go IsOnlyMutatingGCFields. */
function ruling({ metadata, ...rest }: KubeObject): object {
  const { ownerReferences: _owners, finalizers: _finalizers, managedFields: _managers, ...kept } = metadata;
  return { ...rest, metadata: kept };
}

function checkRole(
  { user, resource, namespace, name }: ApiRequest,
  context: ServerContext,
  { before, after }: { readonly before: Role | undefined; readonly after: Role },
): void {
  const wanted = { verb: 'escalate', group: GROUP, resource: resource.plural, name, namespace };
  if (isPermitted(user, wanted, context)) return;
  const refuse = (why: string): Error => objectForbidden(resource, after.metadata.name ?? '', why);
  const held = rulesOf(user, namespace ?? '', context);
  const missing = missingRules(held, after.rules ?? []);
  if (missing.length > 0) throw refuse(whyEscalating(user, missing));
  // Such a role collects any rules.
  const isCollecting = [before, after].some((role) => role?.aggregationRule !== undefined);
  if (isCollecting && missingRules(held, EVERYTHING).length > 0)
    throw refuse('must have cluster-admin privileges to use an aggregationRule');
}

function checkBinding({ user, resource, namespace }: ApiRequest, context: ServerContext, after: Binding): void {
  // Validation refuses a binding without a role.
  if (after.roleRef === undefined) return;
  const isCluster = after.roleRef.kind === 'ClusterRole';
  const { name } = after.roleRef;
  const roles = isCluster ? 'clusterroles' : 'roles';
  if (isPermitted(user, { verb: 'bind', group: GROUP, resource: roles, name, namespace }, context)) return;
  const held = rulesOf(user, namespace ?? '', context);
  const role = context.objects.get(roles, isCluster ? undefined : namespace, name) as Role | undefined;
  // The API server names the binding here, and not the role that it has not found.
  if (role === undefined) throw notFoundStatus(resource, name);
  const missing = missingRules(held, role.rules ?? []);
  if (missing.length > 0) throw objectForbidden(resource, after.metadata.name ?? '', whyEscalating(user, missing));
}

/** Source: pkg/registry/rbac/validation/rule.go ConfirmNoEscalation. */
function whyEscalating({ name, groups }: ApiUser, missing: readonly PolicyRule[]): string {
  const lines = new Set(withVerbsTogether(missing).map(ruleText));
  const who = `user ${goQuote(name)} (groups=${listText(groups)})`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${[...lines].toSorted().join('\n')}`;
}

/** Source: pkg/registry/rbac/validation/policy_compact.go. */
function withVerbsTogether(rules: readonly PolicyRule[]): PolicyRule[] {
  const together = new Map<string, PolicyRule>();
  for (const { verbs, ...about } of rules) {
    const key = JSON.stringify(about.nonResourceURLs === undefined ? about : { ...about, verbs });
    const known = together.get(key)?.verbs ?? [];
    together.set(key, { ...about, verbs: [...new Set([...known, ...verbs])] });
  }
  return [...together.values()];
}

/** Source: component-helpers/auth/rbac/v1/helpers.go CompactString. */
function ruleText({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts = { APIGroups: apiGroups, Resources: resources, NonResourceURLs: nonResourceURLs };
  const all = Object.entries({ ...parts, ResourceNames: resourceNames, Verbs: verbs });
  return `{${all.flatMap(([name, list]) => (list === undefined ? [] : [`${name}:${listText(list)}`])).join(', ')}}`;
}

function listText(list: readonly string[]): string {
  return `[${list.map(goQuote).join(' ')}]`;
}
