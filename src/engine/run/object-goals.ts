import {
  DEFAULT_NAMESPACE,
  type KubeObject,
  PodrunError,
  qualifiedKind,
  type ResourceType,
  resourceTypeNamed,
  type StoredKubeObject,
  storageOf,
} from '../../api/index.ts';
import { customTypeNamed, getObject } from '../../apiserver/index.ts';
import { whyNotReady } from '../../controllers/index.ts';
import { parseWaitCondition } from '../../lifecycle/index.ts';
import type { Store, Subscription } from '../../store/index.ts';

export interface ObjectGoalOptions {
  readonly store: Store;
  /** The namespace of names, and of manifests that name none. */
  readonly namespace: string;
  /** `gadget.shop.example.com/lamp`: objects that have to exist. Their kinds may come later. */
  readonly names: readonly string[];
  /** The custom resources of manifests. */
  readonly applied: readonly KubeObject[];
  /** The reasons why an object does not meet the goal: `waits for {.status.phase}=Lit`. Empty: it does. */
  readonly reasonsOf: (object: StoredKubeObject) => readonly string[];
  /** Called after each change of an object. */
  readonly onChange: () => void;
}

/** Follows objects of any kind that a wait is about, beside Pods and workloads. */
export class ObjectGoals {
  readonly #options: ObjectGoalOptions;
  readonly #watched = new Map<string, Subscription>();

  constructor(options: ObjectGoalOptions) {
    this.#options = options;
    if (options.names.length > 0) this.#watch('customresourcedefinitions');
  }

  /** A line about each object that the wait is for: `gadget.shop.example.com/lamp: waits for {.status.phase}=Lit`. */
  get pending(): string[] {
    const { names, applied } = this.#options;
    return [
      ...names.flatMap((name) => this.#pendingOf(name)),
      ...applied.flatMap((object) => this.#pendingOfApplied(object)),
    ];
  }

  close(): void {
    for (const subscription of this.#watched.values()) subscription.close();
  }

  #pendingOf(word: string): string[] {
    const [typeName = '', name = ''] = word.split('/');
    const type = resourceTypeNamed(typeName) ?? customTypeNamed(this.#options.store, typeName);
    if (type === undefined) return [`${word}: no kind of this name is defined yet`];
    return (
      this.#pendingAt(type, this.#options.namespace, name) ?? [`${qualifiedKind(type)}/${name}: there is none yet`]
    );
  }

  /** Nothing about an object that is not stored: it waits for its definition, is refused, or was deleted. */
  #pendingOfApplied({ apiVersion, kind, metadata }: KubeObject): string[] {
    const type = customTypeNamed(this.#options.store, qualifiedKind({ apiVersion, kind }));
    const { name = '', namespace = this.#options.namespace } = metadata;
    // Another API server may define the kind, and has its objects.
    if (type === undefined) return [];
    return this.#pendingAt(type, namespace, name) ?? [];
  }

  /** Undefined: there is no such object. */
  #pendingAt(type: ResourceType, own: string, name: string): string[] | undefined {
    this.#watch(storageOf(type));
    const namespace = type.isNamespaced ? own : DEFAULT_NAMESPACE;
    const object = getObject(this.#options.store, { type, namespace, name });
    return object && this.#options.reasonsOf(object).map((reason) => `${qualifiedKind(type)}/${name}: ${reason}`);
  }

  #watch(resource: string): void {
    if (this.#watched.has(resource)) return;
    const { store, onChange } = this.#options;
    this.#watched.set(
      resource,
      store.watch(resource, {}, () => onChange()),
    );
  }
}

/**
 * Finds the reasons why an object does not meet conditions such as `condition=Synced` and
 * `jsonpath={.status.phase}=Lit`. Without conditions, it has to be ready.
 * @throws {PodrunError} (usage) for a text that is no condition
 */
export function reasonsAgainst(conditions: readonly string[]): ObjectGoalOptions['reasonsOf'] {
  const parsed = conditions.map(parseWaitCondition);
  if (parsed.length === 0) return (object) => [whyNotReady(object) ?? []].flat();
  return (object) =>
    parsed.flatMap((condition) => {
      return condition.type !== 'state' || isMet(condition.isMet, object) ? [] : [`waits for ${condition.phrase}`];
    });
}

/** False also for an object that the condition makes no sense for: its field may still change. */
function isMet(condition: (object: KubeObject) => boolean, object: KubeObject): boolean {
  try {
    return condition(object);
  } catch (error) {
    if (error instanceof PodrunError) return false;
    throw error;
  }
}
