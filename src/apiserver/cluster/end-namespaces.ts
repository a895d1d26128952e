import { nextEventLoopTurn, nextPart } from '../../clock.ts';
import { DEFAULT_NAMESPACE, formatSeconds, type NamespaceStatus, type StoredKubeObject } from '../../api/index.ts';
import { removeEmptyNamespaces } from '../deletion/delete-namespace.ts';
import { deleteObject } from '../deletion/delete-object.ts';
import type { Subscription } from '../../store/index.ts';
import type { ServerContext } from '../base/context.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { deletionIn, hasObjects } from '../writes/delete.ts';
import { typeOf } from '../writes/update.ts';
import { remainingConditions } from './namespace-conditions.ts';

/** Deletes what is in a namespace that is Terminating, Pods first, and then the namespace. */
export function endNamespaces(context: ServerContext): Subscription {
  const ending = new NamespaceEnd(context);
  const { objects, resources } = context;
  const subscriptions = new Map<string, Subscription>();
  const follow = ({ storage, isNamespaced }: ServedResource): void => {
    if (!isNamespaced || storage === '') return;
    // A kind that is served again has another list of listeners.
    subscriptions.get(storage)?.close();
    const subscription = objects.subscribe(storage, ({ type, object }) => {
      if (type === 'DELETED' && ending.concerns(object.metadata.namespace)) ending.look();
    });
    subscriptions.set(storage, subscription);
  };
  const kinds = resources.follow(follow);
  const namespaces = objects.subscribe('namespaces', ({ object }) => {
    if (object.metadata.deletionTimestamp !== undefined) ending.look();
  });
  ending.look();
  return { close: () => [kinds, namespaces, ...subscriptions.values()].forEach((one) => one.close()) };
}

class NamespaceEnd {
  readonly #context: ServerContext;
  #isDue = false;
  #isBusy = false;

  constructor(context: ServerContext) {
    this.#context = context;
  }

  /** True for a namespace that is Terminating. */
  concerns(namespace: string): boolean {
    return this.#context.objects.get('namespaces', undefined, namespace)?.metadata.deletionTimestamp !== undefined;
  }

  /** Looks after all namespaces that are Terminating, soon. */
  look(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    if (this.#isBusy) return;
    nextEventLoopTurn(() => {
      this.#isDue = false;
      void this.#work().catch((error: unknown) => {
        this.#context.report(error instanceof Error ? error.message : String(error));
      });
    });
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    try {
      const { objects, store } = this.#context;
      for (const { metadata } of objects.list('namespaces')) {
        if (this.concerns(metadata.name)) await this.#empty(metadata.name);
      }
      removeEmptyNamespaces(store, (name) => hasObjects(this.#context, name));
      for (const { metadata } of objects.list('namespaces')) {
        if (this.concerns(metadata.name)) this.#tellRemaining(metadata.name);
      }
    } finally {
      this.#isBusy = false;
      // Something has gone meanwhile.
      if (this.#isDue) {
        this.#isDue = false;
        this.look();
      }
    }
  }

  /** Writes into the status what the namespace waits for. */
  #tellRemaining(namespace: string): void {
    const { objects, store, clock } = this.#context;
    const remaining = this.#kinds().map((resource) => ({
      resource,
      objects: objects.list(resource.storage, namespace),
    }));
    const now = formatSeconds(clock.now().wallMs);
    store.change<StoredKubeObject>(
      'namespaces',
      { namespace: DEFAULT_NAMESPACE, name: namespace },
      'status',
      (stored) => {
        const status = stored['status'] as NamespaceStatus;
        return {
          ...stored,
          status: { ...status, conditions: remainingConditions(status.conditions ?? [], remaining, now) },
        };
      },
    );
  }

  /** The kinds with objects in namespaces, each once. Events go last. */
  #kinds(): ServedResource[] {
    const kinds = this.#context.resources.all.filter(
      ({ storage, isNamespaced }) => isNamespaced && storage !== '' && storage !== 'events',
    );
    return [...new Map(kinds.map((resource) => [resource.storage, resource])).values()];
  }

  /** Source: pkg/controller/namespace/deletion/namespaced_resources_deleter.go: Pods end before what they use goes. */
  async #empty(namespace: string): Promise<void> {
    const { objects, store, clock } = this.#context;
    const kinds = this.#kinds();
    const isWorkload = ({ categories }: (typeof kinds)[number]): boolean => categories.includes('all');
    for (const resource of [...kinds.filter(isWorkload), ...kinds.filter((each) => !isWorkload(each))]) {
      if (!isWorkload(resource) && objects.list('pods', namespace).length > 0) return;
      for (const { metadata } of objects.list(resource.storage, namespace)) {
        if (metadata.deletionTimestamp !== undefined && resource.storage !== 'pods') continue;
        await nextPart(clock);
        const ref = { type: typeOf(resource), namespace: metadata.namespace || DEFAULT_NAMESPACE, name: metadata.name };
        await deleteObject({ ...deletionIn(this.#context), propagation: 'Background' }, ref);
      }
    }
    if (hasObjects(this.#context, namespace)) return;
    for (const { metadata } of objects.list('events', namespace)) {
      await nextPart(clock);
      store.delete('events', namespace, metadata.name);
    }
  }
}
