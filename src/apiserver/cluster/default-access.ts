import {
  isSameJson,
  type KubeObject,
  type LabelSelector,
  matchesSelector,
  type StoredKubeObject,
} from '../../api/index.ts';
import { nextEventLoopTurn } from '../../clock.ts';
import type { Subscription } from '../../store/index.ts';
import { AUTO_UPDATE, type DefaultAccess, defaultAccess } from '../access/default-roles.ts';
import { missingRules } from '../access/missing-rules.ts';
import type { BoundSubject, PolicyRule } from '../access/permissions.ts';
import type { ServerContext } from '../base/context.ts';
import { SERVER_MANAGER, createAsServer } from './create-once.ts';
import { reported } from './reported.ts';
import { type StatusWriter, writeAs } from './write-as.ts';
import { loneOf } from '../base/lone-store.ts';

const ROLES = 'clusterroles';
const COLLECTOR: StatusWriter = { manager: 'clusterrole-aggregation-controller', operation: 'Apply', subresource: '' };

interface ClusterRole extends StoredKubeObject {
  readonly rules?: readonly PolicyRule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] };
}

interface AccessObject extends StoredKubeObject {
  readonly rules?: readonly PolicyRule[] | null;
  readonly subjects?: readonly BoundSubject[] | null;
}

/**
 * Makes the roles and bindings that every cluster has, and keeps the rules of aggregated ClusterRoles up to date.
 * Present ones get what they lack, unless their annotation says otherwise.
 * Source: pkg/registry/rbac/rest/storage_rbac.go; component-helpers/auth/rbac/reconciliation.
 */
export function keepDefaultAccess(context: ServerContext): Subscription {
  for (const access of defaultAccess()) ensure(access, context);
  // Aggregated roles get their rules from a controller.
  if (loneOf(context.store) !== undefined) return { close: () => undefined };
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

/**
 * Stores the roles and bindings that every cluster has before a server opens the store, one in each turn of the event
 * loop. The server then makes the rest.
 * @param isOver true as soon as a server is about to open the store
 */
export async function storeDefaultAccess(
  context: Pick<ServerContext, 'store' | 'clock'>,
  isOver: () => boolean,
): Promise<void> {
  for (const { resource, object } of defaultAccess()) {
    if (isOver()) return;
    createAsServer(context, resource, object);
    await new Promise<void>((resolve) => nextEventLoopTurn(resolve));
  }
}

function ensure({ resource, object }: DefaultAccess, context: ServerContext): void {
  const { namespace, name = '' } = object.metadata;
  const present: AccessObject | undefined = context.objects.get(resource, namespace, name);
  if (present === undefined) {
    createAsServer(context, resource, object);
    return;
  }
  if (present.metadata.annotations?.[AUTO_UPDATE] !== 'true') return;
  const isWhole = isSameJson(present.rules ?? [], object.rules ?? []);
  const rules = isWhole ? [] : missingRules(present.rules ?? [], object.rules ?? []);
  const held = new Set((present.subjects ?? []).map(subjectKey));
  const subjects = (object.subjects ?? []).filter((subject) => !held.has(subjectKey(subject)));
  if (rules.length === 0 && subjects.length === 0) return;
  const whole = (stored: AccessObject): KubeObject => ({
    ...stored,
    ...(rules.length > 0 && { rules: [...(stored.rules ?? []), ...rules] }),
    ...(subjects.length > 0 && { subjects: [...(stored.subjects ?? []), ...subjects] }),
  });
  const by: StatusWriter = { manager: SERVER_MANAGER, operation: 'Update', subresource: '' };
  reported(context, `${resource}/${name}`, () => writeAs(by, resource, present, whole, context));
}

function subjectKey({ kind, name, namespace = '' }: BoundSubject): string {
  return `${kind} ${namespace}/${name}`;
}

/** Source: pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go. */
function collectRules(context: ServerContext): void {
  const { objects } = context;
  let isChanged = true;
  // A collected role may collect itself: each round settles at least one of them.
  for (let round = 0; isChanged && round <= objects.list(ROLES).length; round++) {
    isChanged = false;
    const roles = objects.list(ROLES) as readonly ClusterRole[];
    for (const role of roles) {
      if (role.aggregationRule === undefined) continue;
      const rules = rulesFor(role, roles);
      if (isSameJson(rules, role.rules ?? [])) continue;
      isChanged = true;
      const { apiVersion, kind, metadata } = role;
      writeAs(COLLECTOR, ROLES, role, () => ({ apiVersion, kind, metadata: { name: metadata.name }, rules }), context);
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
