import { inBackground, reportTrouble } from '../../defects.ts';
import { hasCode, type StoredKubeObject } from '../../api/index.ts';
import { type DeleteAction, garbageActions, type Owned, type UpdateAction } from '../../controllers/index.ts';
import { controlledTypes } from '../informer/object-cache.ts';
import { nextEventLoopTurn, nextPart } from '../../clock.ts';
import { deleteObject } from '../deletion/delete-object.ts';
import { keyOf, type Subscription } from '../../store/index.ts';
import type { ServerContext } from '../base/context.ts';
import type { StoredChange } from '../state/change-window.ts';
import { apiVersionOf, type ServedResource } from '../resources/served-resource.ts';
import { deletionIn } from '../writes/delete.ts';
import { typeOf } from '../writes/update.ts';
import { writePatch } from '../base/write-patch.ts';

/** An object with its resource of the store. */
interface Item {
  readonly storage: string;
  readonly object: StoredKubeObject;
}

/**
 * Deletes objects whose owners are gone: the ConfigMap of a custom object, the Deployment of an operator. What
 * workloads make is the work of the agent's own collector, by the same rules: see controllers/garbage.
 */
export class GarbageCollector {
  readonly #context: ServerContext;
  readonly #subscriptions = new Map<string, Subscription>();
  /** The objects to look at: owners that are being deleted or gone, by uid, and dependents. */
  readonly #due = new Map<string, Item>();
  #isPlanned = false;

  constructor(context: ServerContext) {
    this.#context = context;
    this.#subscriptions.set(
      '',
      context.resources.follow((resource) => this.#follow(resource)),
    );
  }

  /** Looks after the objects of a resource. A resource that is served again has another list of listeners. */
  #follow({ storage }: ServedResource): void {
    const { objects } = this.#context;
    if (storage === '' || storage === 'events') return;
    this.#subscriptions.get(storage)?.close();
    const subscription = objects.subscribe(storage, (change) => this.#changed(storage, change));
    this.#subscriptions.set(storage, subscription);
    for (const object of objects.list(storage)) this.#seen({ storage, object });
  }

  close(): void {
    for (const subscription of this.#subscriptions.values()) subscription.close();
    this.#due.clear();
  }

  #changed(storage: string, { type, object, before }: StoredChange): void {
    if (type === 'DELETED') this.#look({ storage, object });
    else this.#seen({ storage, object });
    // An owner may have waited for this change.
    for (const owner of before === undefined ? [] : this.#ownersOf(before)) {
      if ('storage' in owner && owner.object.metadata.deletionTimestamp !== undefined) this.#look(owner);
    }
  }

  #seen(one: Item): void {
    const { ownerReferences = [], deletionTimestamp } = one.object.metadata;
    if (ownerReferences.length > 0 || deletionTimestamp !== undefined) this.#look(one);
  }

  /** Looks at an object in the next turn: the change is reported to all before the next one is made. */
  #look(one: Item): void {
    this.#due.set(one.object.metadata.uid, one);
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    nextEventLoopTurn(() => inBackground(this.#collect()));
  }

  async #collect(): Promise<void> {
    while (this.#due.size > 0) {
      const concerned = new Map(this.#takeDue().map((one) => [one.object.metadata.uid, one]));
      const items = [...concerned.values()];
      const neighbors = items.flatMap((one) => [...this.#dependentsOf(one), ...this.#ownersOf(one.object)]);
      for (const action of garbageActions([...items, ...neighbors].map(({ object }) => object))) {
        if (action.type !== 'update' && action.type !== 'delete') continue;
        const item = concerned.get(action.on.uid);
        if (item === undefined) continue;
        await nextPart(this.#context.clock);
        // One that has changed meanwhile is due again.
        if (this.#current(item)?.metadata.resourceVersion === item.object.metadata.resourceVersion)
          await this.#carryOut(action, item);
      }
    }
    this.#isPlanned = false;
  }

  /** The objects to decide about, as they are now. The agent decides about workloads and what these make. */
  #takeDue(): Item[] {
    const due = [...this.#due.values()];
    this.#due.clear();
    const concerned = due.flatMap((one) => {
      if (!ofAgent.has(one.storage)) return [one, ...this.#dependentsOf(one)];
      return this.#dependentsOf(one, (storage) => !ofAgent.has(storage));
    });
    return concerned.flatMap((one) => {
      const object = this.#current(one);
      return object === undefined ? [] : [{ storage: one.storage, object }];
    });
  }

  #current({ storage, object: { metadata } }: Item): StoredKubeObject | undefined {
    const object = this.#context.objects.get(storage, metadata.namespace, metadata.name);
    return object?.metadata.uid === metadata.uid ? object : undefined;
  }

  #dependentsOf({ object }: Item, isWanted: (storage: string) => boolean = () => true): readonly Item[] {
    return this.#context.objects.dependentsOf(object.metadata.uid, isWanted);
  }

  /** The owners that exist. An owner that cannot be looked up exists. */
  #ownersOf({ metadata }: StoredKubeObject): (Item | { readonly object: Owned })[] {
    const { ownerReferences = [] } = metadata;
    return ownerReferences.flatMap(({ apiVersion, kind, name, uid }): (Item | { readonly object: Owned })[] => {
      const resource = this.#context.resources.all.find(
        (each) => each.kind === kind && apiVersionOf(each) === apiVersion,
      );
      if (resource === undefined || kind === 'Node')
        return [{ object: { apiVersion, kind, metadata: { ...metadata, name, uid, ownerReferences: [] } } }];
      const { storage, isNamespaced } = resource;
      const object = this.#context.objects.get(storage, isNamespaced ? metadata.namespace : undefined, name);
      return object?.metadata.uid === uid ? [{ storage, object }] : [];
    });
  }

  async #carryOut(action: UpdateAction | DeleteAction, { storage, object }: Item): Promise<void> {
    const { store, resources, report } = this.#context;
    const { resourceVersion } = object.metadata;
    const key = keyOf(object);
    try {
      if (action.type === 'update') {
        const isFresh = (stored: StoredKubeObject): boolean => stored.metadata.resourceVersion === resourceVersion;
        return writePatch(store, { ...action.on, ...key }, action.patch ?? {}, { plural: storage, isFresh });
      }
      const resource = resources.all.find((each) => each.storage === storage);
      if (resource === undefined) return;
      const { propagation } = action;
      await deleteObject({ ...deletionIn(this.#context), propagation }, { type: typeOf(resource), ...key });
    } catch (error) {
      // Another writer has changed or deleted it: that change calls the collector again.
      if (hasCode(error, 'NotFound') || hasCode(error, 'Conflict')) return;
      reportTrouble(error, ({ message }) => report(message));
    }
  }
}

/** The resources that the agent's own collector looks after. */
const ofAgent: ReadonlySet<string> = new Set(controlledTypes().map(({ plural }) => plural));
