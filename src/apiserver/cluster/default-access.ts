import {
  DEFAULT_NAMESPACE,
  hasCode,
  isSameJson,
  type KubeObject,
  type LabelSelector,
  matchesSelector,
  type StoredKubeObject,
} from '../../api/index.ts';
import { nextEventLoopTurn } from '../../clock.ts';
import type { Subscription } from '../../store/index.ts';
import { DEFAULT_CLUSTER_ROLE_BINDINGS, DEFAULT_CLUSTER_ROLES } from '../access/default-roles.ts';
import type { PolicyRule } from '../access/permissions.ts';
import type { ServerContext } from '../base/context.ts';
import { reported } from './reported.ts';

const ROLES = 'clusterroles';

interface ClusterRole extends StoredKubeObject {
  readonly rules?: readonly PolicyRule[];
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] };
}

/** Makes the default ClusterRoles, and keeps the rules of aggregated ClusterRoles up to date. */
export function keepDefaultAccess(context: ServerContext): Subscription {
  for (const role of DEFAULT_CLUSTER_ROLES) ensure(role, ROLES, context);
  for (const binding of DEFAULT_CLUSTER_ROLE_BINDINGS) ensure(binding, 'clusterrolebindings', context);
  collectRules(context);
  let isDue = false;
  return context.objects.subscribe(ROLES, () => {
    if (isDue) return;
    isDue = true;
    // The change is reported to all before the next one is made.
    nextEventLoopTurn(() => {
      isDue = false;
      if (!context.signal.aborted) reported(context, 'roles that collect rules', () => collectRules(context));
    });
  });
}

function ensure(object: KubeObject, resource: string, { objects, store }: ServerContext): void {
  if (objects.get(resource, undefined, object.metadata.name ?? '') !== undefined) return;
  try {
    store.create(resource, object);
  } catch (error) {
    // Another process may have made it first.
    if (!hasCode(error, 'AlreadyExists')) throw error;
  }
}

/** Source: pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go. */
function collectRules({ objects, store }: ServerContext): void {
  for (let isChanged = true; isChanged;) {
    isChanged = false;
    const roles = objects.list(ROLES) as readonly ClusterRole[];
    for (const role of roles) {
      if (role.aggregationRule === undefined) continue;
      const rules = rulesFor(role, roles);
      if (isSameJson(rules, role.rules ?? [])) continue;
      isChanged = true;
      const key = { namespace: DEFAULT_NAMESPACE, name: role.metadata.name };
      store.change<ClusterRole>(ROLES, key, 'object', (stored) => ({ ...stored, rules }));
    }
  }
}

function rulesFor(role: ClusterRole, roles: readonly ClusterRole[]): PolicyRule[] {
  const selectors = role.aggregationRule?.clusterRoleSelectors ?? [];
  const sources = roles.filter(({ metadata }) => {
    return metadata.name !== role.metadata.name && selectors.some((one) => matchesSelector(one, metadata.labels));
  });
  const rules = new Map(sources.flatMap((source) => (source.rules ?? []).map((one) => [JSON.stringify(one), one])));
  return [...rules.values()];
}
