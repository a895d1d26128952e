import {
  isSameJson,
  type KubeObject,
  namespacedResources,
  type PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
  type StoredKubeObject,
} from '../../api/index.ts';
import { type Alarm, nextEventLoopTurn } from '../../clock.ts';
import { quotaStatus, withBudgetStatus } from '../../manifest/index.ts';
import { BUDGET_SOURCES } from '../deletion/evict-pod.ts';
import type { Subscription } from '../../store/index.ts';
import type { ServerContext } from '../base/context.ts';
import { reported } from './reported.ts';
import { CONTROLLER_MANAGER, type StatusWriter, writeAs } from './write-as.ts';

/** Changes of counted objects within this time are counted together. A changed quota is counted at once. */
const TOGETHER_MS = 20;

/** A resource with a status that counts other objects of its namespace. */
interface CountingKind {
  readonly resource: string;
  readonly sources: readonly string[];
  readonly statusOf: (object: StoredKubeObject, counted: readonly KubeObject[]) => object;
  /** Undefined: the status is counted anew when it is read, and has no manager. */
  readonly by?: StatusWriter;
}

const COUNTING: readonly CountingKind[] = [
  {
    resource: 'resourcequotas',
    sources: namespacedResources(),
    statusOf: quotaStatus,
    by: CONTROLLER_MANAGER,
  },
  { resource: 'poddisruptionbudgets', sources: BUDGET_SOURCES, statusOf: budgetStatus },
];

/**
 * Keeps the status of quotas and PodDisruptionBudgets for clients of the API: what is used, and what may be evicted.
 * The command line computes both when it reads.
 */
export function keepCounts(context: ServerContext): Subscription {
  const all = COUNTING.map((counting) => keep(counting, context));
  return { close: () => all.forEach((one) => one.close()) };
}

function keep(counting: CountingKind, context: ServerContext): Subscription {
  const { objects, clock } = context;
  const { resource, sources } = counting;
  const due = new Set<string>();
  let alarm: Alarm | undefined;
  const count = (): void => {
    alarm?.cancel();
    alarm = undefined;
    const namespaces = [...due];
    due.clear();
    for (const namespace of namespaces) reported(context, resource, () => writeCounts(counting, namespace, context));
  };
  const plan = (namespace: string): void => {
    if (due.has(namespace) || !objects.hasSome(resource, namespace)) return;
    due.add(namespace);
    alarm ??= clock.wakeAt(clock.now().monotonicMs + TOGETHER_MS, count);
  };
  const countNow = (namespace: string): void => {
    plan(namespace);
    nextEventLoopTurn(count);
  };
  const follow = (source: string): Subscription =>
    objects.subscribe(source, ({ object }) => (source === resource ? countNow : plan)(object.metadata.namespace));
  const subscriptions = [...new Set([resource, ...sources])].map(follow);
  for (const { metadata } of objects.list(resource)) plan(metadata.namespace);
  return {
    close: () => {
      due.clear();
      alarm?.cancel();
      for (const subscription of subscriptions) subscription.close();
    },
  };
}

function writeCounts(
  { resource, sources, statusOf, by }: CountingKind,
  namespace: string,
  context: ServerContext,
): void {
  const { objects, store } = context;
  const counted = sources.flatMap((source) => objects.list(source, namespace));
  for (const object of objects.list(resource, namespace)) {
    const status = statusOf(object, counted);
    if (isSameJson(status, object['status'])) continue;
    const withCounts = (stored: StoredKubeObject): StoredKubeObject => ({ ...stored, status });
    if (by !== undefined) {
      writeAs(by, resource, object, withCounts, context);
      continue;
    }
    const { name } = object.metadata;
    store.change<StoredKubeObject>(resource, { namespace, name }, 'status', withCounts);
  }
}

/** The fields and conditions of other writers stay. */
function budgetStatus(budget: StoredKubeObject, counted: readonly KubeObject[]): PodDisruptionBudgetStatus {
  const before = (budget as PodDisruptionBudget).status;
  const { status } = withBudgetStatus(budget as StoredKubeObject & PodDisruptionBudget, counted);
  const own = status.conditions ?? [];
  const others = (before?.conditions ?? []).filter(({ type }) => own.every((condition) => condition.type !== type));
  return { ...before, ...status, conditions: [...others, ...own] };
}
