import { type Alarm, nextEventLoopTurn, nextPart } from '../../clock.ts';
import { reportTrouble } from '../../defects.ts';
import {
  DEFAULT_NAMESPACE,
  formatSeconds,
  type KubeObject,
  type NamespaceStatus,
  type StoredKubeObject,
} from '../../api/index.ts';
import { type ForeignContents, deleteForeignContents, unknownVersions } from '../aggregation/empty-namespace.ts';
import { removeEmptyNamespaces } from '../deletion/delete-namespace.ts';
import { deleteObject } from '../deletion/delete-object.ts';
import type { Subscription } from '../../store/index.ts';
import type { ServerContext } from '../base/context.ts';
import type { ServedResource } from '../resources/served-resource.ts';
import { deletionIn, hasObjects } from '../writes/delete.ts';
import { typeOf } from '../writes/update.ts';
import { remainingConditions } from './namespace-conditions.ts';
import { CONTROLLER_MANAGER, writeAs } from './write-as.ts';

/** Source: pkg/controller/namespace/namespace_controller.go: half the time that a deletion is expected to take. */
const LOOK_AGAIN_MS = 8000;

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
  const aggregation = context.aggregated.follow(() => ending.look());
  ending.look();
  return {
    close: () => {
      for (const one of [kinds, namespaces, aggregation, ...subscriptions.values()]) one.close();
      ending.close();
    },
  };
}

class NamespaceEnd {
  readonly #context: ServerContext;
  /** The objects of other API servers in each namespace, at the last look. */
  readonly #foreign = new Map<string, ForeignContents>();
  #isDue = false;
  #isBusy = false;
  #alarm: Alarm | undefined;

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
        reportTrouble(error, ({ message }) => this.#context.report(message));
      });
    });
  }

  close(): void {
    this.#alarm?.cancel();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    this.#alarm?.cancel();
    this.#foreign.clear();
    try {
      const { objects, store } = this.#context;
      for (const { metadata } of objects.list('namespaces')) {
        if (this.concerns(metadata.name)) await this.#empty(metadata.name);
      }
      if (this.#context.signal.aborted) return;
      removeEmptyNamespaces(store, (name) => hasObjects(this.#context, name) || this.#isKeptForeign(name));
      for (const { metadata } of objects.list('namespaces')) {
        if (this.concerns(metadata.name)) this.#tellRemaining(metadata.name);
      }
      this.#lookAgain();
    } finally {
      this.#isBusy = false;
      // Something has gone meanwhile.
      if (this.#isDue) {
        this.#isDue = false;
        this.look();
      }
    }
  }

  /** True for a namespace in which other API servers have objects, or in which they may have some. */
  #isKeptForeign(name: string): boolean {
    if (this.#context.aggregated.all.length === 0) return false;
    const contents = this.#foreign.get(name);
    if (contents === undefined || unknownVersions(this.#context).length > 0) return true;
    return contents.remaining.length > 0 || contents.errors.length > 0;
  }

  /** Other API servers do not tell when an object has gone. */
  #lookAgain(): void {
    const { clock } = this.#context;
    if (![...this.#foreign.keys()].some((name) => this.concerns(name) && this.#isKeptForeign(name))) return;
    this.#alarm = clock.wakeAt(clock.now().monotonicMs + LOOK_AGAIN_MS, () => this.look());
  }

  /** Writes into the status what the namespace waits for. */
  #tellRemaining(namespace: string): void {
    const { objects, clock } = this.#context;
    const own = this.#kinds().map((resource) => ({ resource, objects: objects.list(resource.storage, namespace) }));
    const { remaining, errors } = this.#foreign.get(namespace) ?? { remaining: [], errors: [] };
    const rest = { remaining: [...own, ...remaining], unknown: unknownVersions(this.#context), errors };
    const now = formatSeconds(clock.now().wallMs);
    const present = objects.get('namespaces', undefined, namespace);
    if (present === undefined) return;
    const withConditions = (stored: StoredKubeObject): KubeObject => {
      const status = stored['status'] as NamespaceStatus;
      return {
        ...stored,
        status: { ...status, conditions: remainingConditions(status.conditions ?? [], rest, now) },
      };
    };
    writeAs(CONTROLLER_MANAGER, 'namespaces', present, withConditions, this.#context);
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
      if (!isWorkload(resource) && objects.hasSome('pods', namespace)) return;
      for (const { metadata } of objects.list(resource.storage, namespace)) {
        if (metadata.deletionTimestamp !== undefined && resource.storage !== 'pods') continue;
        await nextPart(clock);
        const ref = { type: typeOf(resource), namespace: metadata.namespace || DEFAULT_NAMESPACE, name: metadata.name };
        await deleteObject({ ...deletionIn(this.#context), propagation: 'Background' }, ref);
      }
    }
    if (this.#context.aggregated.all.length > 0)
      this.#foreign.set(namespace, await deleteForeignContents(namespace, this.#context));
    if (hasObjects(this.#context, namespace) || this.#isKeptForeign(namespace)) return;
    for (const { metadata } of objects.list('events', namespace)) {
      await nextPart(clock);
      store.delete('events', namespace, metadata.name);
    }
  }
}
