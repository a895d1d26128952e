import { inBackground } from '../../defects.ts';
import type { StoredKubeObject } from '../../api/objects.ts';
import { hasCode } from '../../api/errors.ts';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from '../../controllers/garbage/deletion.ts';
import { controlledTypes } from '../informer/object-cache.ts';
import { nextEventLoopTurn } from '../../clock.ts';
import { deleteObject } from '../deletion/delete-object.ts';
import { keyOf } from '../../store/metadata.ts';
import type { Subscription } from '../../store/store.ts';
import type { ServerContext } from '../context.ts';
import { apiVersionOf, type ServedResource } from '../resources/served-resource.ts';
import type { StoredChange } from '../state/change-window.ts';
import { deletionIn } from '../writes/delete.ts';
import { typeOf } from '../writes/update.ts';

/** An object with its resource. */
interface Item {
  readonly resource: ServedResource;
  readonly object: StoredKubeObject;
}

/**
 * Deletes objects whose owners are gone: the ConfigMap of a custom object, the Deployment of an operator. What
 * workloads make is the work of the agent's own collector. Source: pkg/controller/garbagecollector/garbagecollector.go.
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

  /** Looks after the objects of a resource. One that is there again has another list of listeners. */
  #follow(resource: ServedResource): void {
    const { objects } = this.#context;
    if (resource.storage === '' || resource.storage === 'events') return;
    this.#subscriptions.get(resource.storage)?.close();
    const subscription = objects.subscribe(resource.storage, (change) => this.#changed(resource, change));
    this.#subscriptions.set(resource.storage, subscription);
    for (const object of objects.list(resource.storage)) this.#seen(resource, object);
  }

  close(): void {
    for (const subscription of this.#subscriptions.values()) subscription.close();
    this.#due.clear();
  }

  #changed(resource: ServedResource, { type, object }: StoredChange): void {
    if (type === 'DELETED') this.#look({ resource, object });
    else this.#seen(resource, object);
  }

  #seen(resource: ServedResource, object: StoredKubeObject): void {
    const { ownerReferences = [], deletionTimestamp } = object.metadata;
    if (ownerReferences.length > 0 || deletionTimestamp !== undefined) this.#look({ resource, object });
  }

  /** Looks at an object in the next turn: the change is told to all before the next one is made. */
  #look(one: Item): void {
    this.#due.set(one.object.metadata.uid, one);
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    nextEventLoopTurn(() => {
      this.#isPlanned = false;
      const due = [...this.#due.values()];
      this.#due.clear();
      inBackground(this.#collect(due));
    });
  }

  async #collect(due: readonly Item[]): Promise<void> {
    for (const one of due) {
      try {
        await this.#settle(one);
      } catch (error) {
        // Somebody else has deleted or changed it.
        if (hasCode(error, 'NotFound') || hasCode(error, 'Conflict')) continue;
        this.#context.report(error instanceof Error ? error.message : String(error));
      }
    }
  }

  async #settle({ resource, object }: Item): Promise<void> {
    const { uid, deletionTimestamp } = object.metadata;
    const all = this.#dependentsOf(uid);
    const dependents = isOfAgent(resource) ? all.filter((one) => !isOfAgent(one.resource)) : all;
    if (this.#current(resource, object) === undefined) {
      for (const one of dependents) await this.#deleteWithoutOwners(one);
      return;
    }
    if (deletionTimestamp !== undefined) await this.#endOwner({ resource, object }, dependents);
    else if (!isOfAgent(resource)) await this.#deleteWithoutOwners({ resource, object });
  }

  #dependentsOf(uid: string): Item[] {
    const { objects, resources } = this.#context;
    const { all } = resources;
    return objects.dependentsOf(uid).flatMap(({ storage, object }) => {
      const resource = all.find((each) => each.storage === storage);
      return resource === undefined ? [] : [{ resource, object }];
    });
  }

  /** An owner that waits for its dependents, or gives them up. */
  async #endOwner(owner: Item, dependents: readonly Item[]): Promise<void> {
    const { finalizers = [], uid } = owner.object.metadata;
    if (isOfAgent(owner.resource)) return;
    if (finalizers.includes(ORPHAN_FINALIZER)) {
      for (const one of dependents) this.#giveUp(one, uid);
      this.#dropFinalizer(owner, ORPHAN_FINALIZER);
    }
    if (!finalizers.includes(FOREGROUND_FINALIZER)) return;
    const blocking = dependents.filter(({ object }) =>
      object.metadata.ownerReferences?.some((ref) => ref.uid === uid && ref.blockOwnerDeletion === true),
    );
    for (const one of dependents) await this.#delete(one);
    if (blocking.every(({ resource, object }) => this.#current(resource, object) === undefined))
      this.#dropFinalizer(owner, FOREGROUND_FINALIZER);
  }

  /** Deletes an object all of whose owners are gone. */
  async #deleteWithoutOwners(one: Item): Promise<void> {
    const object = this.#current(one.resource, one.object);
    const { ownerReferences = [], namespace, deletionTimestamp } = object?.metadata ?? {};
    if (object === undefined || deletionTimestamp !== undefined) return;
    const isGone = ({ apiVersion, kind, name, uid }: (typeof ownerReferences)[number]): boolean => {
      const resource = this.#context.resources.all.find(
        (each) => each.kind === kind && apiVersionOf(each) === apiVersion,
      );
      // Nobody can look for the objects of an unknown kind.
      if (resource === undefined || kind === 'Node') return false;
      const place = resource.isNamespaced ? namespace : undefined;
      return this.#context.objects.get(resource.storage, place, name)?.metadata.uid !== uid;
    };
    if (ownerReferences.length > 0 && ownerReferences.every(isGone)) await this.#delete(one);
  }

  async #delete({ resource, object }: Item): Promise<void> {
    const ref = { type: typeOf(resource), ...keyOf(object) };
    await deleteObject({ ...deletionIn(this.#context), propagation: 'Background' }, ref);
  }

  #giveUp({ resource, object }: Item, owner: string): void {
    this.#change(resource, object, (stored) => {
      const ownerReferences = stored.metadata.ownerReferences?.filter(({ uid }) => uid !== owner);
      return { ...stored, metadata: { ...stored.metadata, ownerReferences } };
    });
  }

  #dropFinalizer({ resource, object }: Item, finalizer: string): void {
    const { finalizers = [] } = object.metadata;
    const left = finalizers.filter((each) => each !== finalizer);
    const { namespace, name } = keyOf(object);
    if (left.length === 0) this.#context.store.delete(resource.storage, namespace, name);
    else
      this.#change(resource, object, (stored) => {
        return { ...stored, metadata: { ...stored.metadata, finalizers: left } };
      });
  }

  #change(
    { storage }: ServedResource,
    object: StoredKubeObject,
    edit: (stored: StoredKubeObject) => StoredKubeObject,
  ): void {
    this.#context.store.change<StoredKubeObject>(storage, keyOf(object), 'object', edit);
  }

  #current({ storage }: ServedResource, { metadata }: StoredKubeObject): StoredKubeObject | undefined {
    const stored = this.#context.objects.get(storage, metadata.namespace, metadata.name);
    return stored?.metadata.uid === metadata.uid ? stored : undefined;
  }
}

const ofAgent = new Set(controlledTypes().map(({ plural }) => plural));

/** True for the kinds that the agent's own collector looks after. */
function isOfAgent({ storage }: ServedResource): boolean {
  return ofAgent.has(storage);
}
