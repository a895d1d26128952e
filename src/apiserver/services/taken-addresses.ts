import { DEFAULT_NAMESPACE, parseTime, type StoredEvent } from '../../api/index.ts';
import { INGRESS_SERVED, PORT_TAKEN, SERVICE_SERVED, type Unservable } from '../../lifecycle/index.ts';
import type { ManifestObject } from '../../manifest/index.ts';
import type { FileStore, ObjectKey, Subscription } from '../../store/index.ts';

/** An applied object that podrun serves at an address of this machine. */
export interface ServedKey extends ObjectKey {
  readonly kind: 'Service' | 'Ingress';
}

/** The Services and Ingresses among the objects of manifests. */
export function servedKeys(manifests: readonly ManifestObject[]): ServedKey[] {
  return manifests.flatMap(({ object: { kind, metadata } }) => {
    if (kind !== 'Service' && kind !== 'Ingress') return [];
    return [{ kind, namespace: metadata.namespace ?? DEFAULT_NAMESPACE, name: metadata.name ?? '' }];
  });
}

/**
 * Follows the applied Services and Ingresses whose addresses another program has, by the events of their agents, which
 * may be other processes.
 */
export class TakenAddresses {
  /** Undefined: all of the store. */
  readonly #keys: ReadonlySet<string> | undefined;
  readonly #objects = new Map<string, Unservable>();
  readonly #subscription: Subscription | undefined;

  /**
   * @param which the applied ones, or all that clients apply later
   * @param onChange called after each change of `objects`
   */
  constructor(store: FileStore, which: readonly ServedKey[] | 'later', onChange: () => void) {
    const applied = which === 'later' ? [] : which;
    this.#keys = which === 'later' ? undefined : new Set(applied.map(keyOf));
    if (which !== 'later' && which.length === 0) return;
    // An agent that served it before this run tells the same trouble once. What agents of former runs met is over.
    const since = new Map(applied.map((key) => [keyOf(key), servedSinceMs(store, key)]));
    const earlier = [...since.values()].every((ms) => ms === undefined) ? [] : store.list<StoredEvent>('events');
    for (const event of earlier.toSorted((a, b) => lastMs(a) - lastMs(b))) {
      if (lastMs(event) >= (since.get(keyOf(subjectOf(event))) ?? Infinity)) this.#take(event);
    }
    this.#subscription = store.watch<StoredEvent>('events', {}, ({ type, object }) => {
      if (type !== 'DELETED' && this.#take(object)) onChange();
    });
  }

  /** Each of them: `service/web: cannot serve 127.96.0.12:80: nginx (pid 123) listens on this port`. */
  get objects(): readonly Unservable[] {
    return [...this.#objects.values()];
  }

  close(): void {
    this.#subscription?.close();
  }

  /** Returns true after a change of the objects. */
  #take(event: StoredEvent): boolean {
    const { kind, name } = subjectOf(event);
    const key = keyOf(subjectOf(event));
    if (this.#keys?.has(key) === false) return false;
    if (event.reason === SERVICE_SERVED || event.reason === INGRESS_SERVED) return this.#objects.delete(key);
    if (event.reason !== PORT_TAKEN) return false;
    this.#objects.set(key, { about: `${kind.toLowerCase()}/${name}`, path: '', message: event.message ?? '' });
    return true;
  }
}

function subjectOf({ involvedObject: { kind = '', namespace = '', name = '' } }: StoredEvent): Omit<
  ServedKey,
  'kind'
> & {
  readonly kind: string;
} {
  return { kind, namespace, name };
}

function keyOf({ kind, namespace, name }: ObjectKey & { readonly kind: string }): string {
  return `${kind} ${namespace}/${name}`;
}

/** The time since which a living agent serves a Service. Undefined: none does. */
function servedSinceMs(store: FileStore, { kind, namespace, name }: ServedKey): number | undefined {
  const owner = kind === 'Service' ? store.owners.of(namespace, name, 'services') : undefined;
  return owner === undefined || store.owners.stateOf(owner) === 'gone' ? undefined : parseTime(owner.since);
}

function lastMs({ lastTimestamp, metadata }: StoredEvent): number {
  return parseTime(lastTimestamp ?? metadata.creationTimestamp);
}
