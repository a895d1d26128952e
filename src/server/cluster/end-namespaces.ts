import { nextEventLoopTurn } from '../../clock.ts';
import { DEFAULT_NAMESPACE } from '../../api/objects.ts';
import { removeEmptyNamespaces } from '../../objects/deletion/delete-namespace.ts';
import { deleteObject } from '../../objects/deletion/delete-object.ts';
import type { Subscription } from '../../store/store.ts';
import type { ServerContext } from '../context.ts';
import { typeOf } from '../writes/update.ts';

/** Deletes what is in a namespace that is Terminating, Pods first, and then the namespace. */
export function endNamespaces(context: ServerContext): Subscription {
  const ending = new NamespaceEnd(context);
  const { objects, resources } = context;
  const subscriptions = [
    objects.subscribe('namespaces', ({ object }) => {
      if (object.metadata.deletionTimestamp !== undefined) ending.look();
    }),
    ...resources.all
      .filter(({ storage, isNamespaced }) => isNamespaced && storage !== '')
      .map(({ storage }) =>
        objects.subscribe(storage, ({ type, object }) => {
          if (type === 'DELETED' && ending.concerns(object.metadata.namespace)) ending.look();
        }),
      ),
  ];
  ending.look();
  return { close: () => subscriptions.forEach((subscription) => subscription.close()) };
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
    nextEventLoopTurn(() => {
      this.#isDue = false;
      void this.#work().catch((error: unknown) => {
        this.#context.report(error instanceof Error ? error.message : String(error));
      });
    });
  }

  async #work(): Promise<void> {
    if (this.#isBusy) return this.look();
    this.#isBusy = true;
    try {
      const { objects, store } = this.#context;
      for (const { metadata } of objects.list('namespaces')) {
        if (this.concerns(metadata.name)) await this.#empty(metadata.name);
      }
      removeEmptyNamespaces(store);
    } finally {
      this.#isBusy = false;
    }
  }

  /** Source: pkg/controller/namespace/deletion/namespaced_resources_deleter.go: Pods end before what they use goes. */
  async #empty(namespace: string): Promise<void> {
    const { objects, store, clock, resources } = this.#context;
    const kinds = resources.all.filter(({ storage, isNamespaced }) => isNamespaced && storage !== '');
    const isWorkload = ({ categories }: (typeof kinds)[number]): boolean => categories.includes('all');
    for (const resource of [...kinds.filter(isWorkload), ...kinds.filter((each) => !isWorkload(each))]) {
      if (!isWorkload(resource) && objects.list('pods', namespace).length > 0) return;
      if (resource.storage === 'events') continue;
      for (const { metadata } of objects.list(resource.storage, namespace)) {
        if (metadata.deletionTimestamp !== undefined && resource.storage !== 'pods') continue;
        const ref = { type: typeOf(resource), namespace: metadata.namespace || DEFAULT_NAMESPACE, name: metadata.name };
        await deleteObject({ store, clock, graceSeconds: undefined, propagation: 'Background' }, ref);
      }
    }
  }
}
