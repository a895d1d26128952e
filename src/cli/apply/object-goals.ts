import { existsSync } from 'node:fs';
import {
  DEFAULT_NAMESPACE,
  type KubeObject,
  PodrunError,
  qualifiedKind,
  type ResourceType,
  type StoredKubeObject,
  storageOf,
  usage,
} from '../../api/index.ts';
import { customTypeNamed, getObject } from '../../apiserver/index.ts';
import { mustHold, whyNotReady } from '../../controllers/index.ts';
import { parseWaitCondition } from '../../lifecycle/index.ts';
import type { Subscription } from '../../store/index.ts';
import { typesIn } from '../select/type-named.ts';
import type { RunSession } from './session.ts';

/** Objects that a run waits for beside its Pods, as they stand on the command line of `apply`. */
export interface AwaitedObjects {
  /** `gadget.shop.example.com/lamp`. */
  readonly names: readonly string[];
  /** `jsonpath=…` and `condition=…`. Empty: the objects have to be ready. */
  readonly conditions: readonly string[];
}

/** A word such as `gadget.shop.example.com/lamp`, and no manifest. */
function isObjectName(word: string): boolean {
  return /^[^/\s]+\/[^/\s]+$/.test(word) && !/\.(?:ya?ml|json)$/.test(word) && !existsSync(word);
}

/** The words of a command line of `apply`, with the objects that it waits for apart. */
interface SplitWords {
  readonly files: readonly string[];
  readonly until: readonly string[];
  readonly awaited: AwaitedObjects | undefined;
}

/**
 * Separates manifests and goals of Pods from objects to wait for.
 * @throws {PodrunError} (usage) for a condition of no object
 */
export function splitAwaited(words: readonly string[], goals: readonly string[]): SplitWords {
  const conditions = goals.filter((goal) => /^(?:jsonpath|condition)=/i.test(goal));
  const until = goals.filter((goal) => !conditions.includes(goal));
  const names = goals.length === 0 ? [] : words.filter(isObjectName);
  const [first] = conditions;
  if (names.length === 0 && first === undefined) return { files: words, until, awaited: undefined };
  if (names.length === 0) throw usage(`--until ${first} needs an object`, 'Name it: TYPE/NAME, as with podrun wait.');
  // Refuses a wrong condition before anything starts.
  for (const condition of conditions) parseWaitCondition(condition);
  return { files: words.filter((word) => !names.includes(word)), until, awaited: { names, conditions } };
}

type SessionPart = Pick<RunSession, 'cli' | 'flags' | 'store' | 'plan' | 'api'>;

/**
 * Follows the objects that a run waits for beside its Pods. The command line names them, and their kinds may come with
 * the run; without names, they are the custom resources of the manifests, for a goal that includes Ready.
 */
export class ObjectGoals {
  readonly #awaited: AwaitedObjects;
  readonly #applied: readonly KubeObject[];
  readonly #session: SessionPart;
  readonly #onChange: () => void;
  readonly #watched = new Map<string, Subscription>();

  /** @param onChange called after each change of an object */
  constructor(session: SessionPart, onChange: () => void) {
    const { flags, plan, api } = session;
    this.#awaited = flags.awaited ?? { names: [], conditions: [] };
    const waitsForAll = flags.awaited === undefined && plan.goal !== undefined && mustHold(plan.goal);
    this.#applied = waitsForAll ? (api?.custom ?? []) : [];
    this.#session = session;
    this.#onChange = onChange;
    if (this.#awaited.names.length > 0) this.#watch('customresourcedefinitions');
  }

  /** A line about each object that the run waits for: `gadget.shop.example.com/lamp: waits for {.status.phase}=Lit`. */
  get pending(): string[] {
    return [
      ...this.#awaited.names.flatMap((name) => this.#pendingOf(name)),
      ...this.#applied.flatMap((object) => this.#pendingOfApplied(object)),
    ];
  }

  close(): void {
    for (const subscription of this.#watched.values()) subscription.close();
  }

  #pendingOf(word: string): string[] {
    const { cli, flags } = this.#session;
    const [typeName = '', name = ''] = word.split('/');
    const type = typesIn(cli)(typeName);
    if (type === undefined) return [`${word}: no kind of this name is defined yet`];
    const namespace = type.isNamespaced ? (flags.namespace ?? DEFAULT_NAMESPACE) : DEFAULT_NAMESPACE;
    return this.#pendingAt(type, namespace, name) ?? [`${qualifiedKind(type)}/${name}: there is none yet`];
  }

  /** Nothing about an object that is not stored: it waits for its definition, is refused, or was deleted. */
  #pendingOfApplied({ apiVersion, kind, metadata }: KubeObject): string[] {
    const { flags, store } = this.#session;
    const type = customTypeNamed(store, qualifiedKind({ apiVersion, kind }));
    const { name = '', namespace = flags.namespace ?? DEFAULT_NAMESPACE } = metadata;
    // Another API server may define the kind, and has its objects.
    if (type === undefined) return [];
    return this.#pendingAt(type, type.isNamespaced ? namespace : DEFAULT_NAMESPACE, name) ?? [];
  }

  /** Undefined: there is no such object. */
  #pendingAt(type: ResourceType, namespace: string, name: string): string[] | undefined {
    this.#watch(storageOf(type));
    const object = getObject(this.#session.store, { type, namespace, name });
    return object && this.#reasons(object).map((reason) => `${qualifiedKind(type)}/${name}: ${reason}`);
  }

  #reasons(object: StoredKubeObject): string[] {
    const { conditions } = this.#awaited;
    if (conditions.length === 0) return [whyNotReady(object) ?? []].flat();
    return conditions.flatMap((text) => {
      const condition = parseWaitCondition(text);
      return condition.type !== 'state' || isMet(condition.isMet, object) ? [] : [`waits for ${condition.phrase}`];
    });
  }

  #watch(resource: string): void {
    if (this.#watched.has(resource)) return;
    const subscription = this.#session.store.watch(resource, {}, () => this.#onChange());
    this.#watched.set(resource, subscription);
  }
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
