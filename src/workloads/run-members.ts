import { isTerminalPhase, type WatchEvent, type Workload } from '../api/index.ts';
import { isPod, type ObjectCache } from '../apiserver/index.ts';
import { isTerminating, type Owned } from '../controllers/index.ts';
import { isRemnant, type Root, rootEnd } from '../lifecycle/index.ts';

/**
 * The objects that belong to a run: the applied ones, what they own, what comes to own one of them, and what that owns.
 * An object that belonged to the run once belongs to it from then on.
 */
export class RunMembers {
  readonly #cache: ObjectCache;
  readonly #tell: (event: WatchEvent<Owned>) => void;
  readonly #uids = new Set<string>();
  /** The uids of the objects that were reported, and exist. */
  readonly #known = new Set<string>();

  /** @param tell called for each change of a member; with existing members as ADDED */
  constructor(cache: ObjectCache, tell: (event: WatchEvent<Owned>) => void) {
    this.#cache = cache;
    this.#tell = tell;
  }

  /** Tells of a change, if it is one of a member. Called after each change of the cache. */
  changed(event: WatchEvent<Owned>): void {
    const { uid, ownerReferences = [] } = event.object.metadata;
    const wasMember = this.#uids.has(uid);
    if (!wasMember && !ownerReferences.some((owner) => this.#uids.has(owner.uid))) return;
    if (event.type !== 'ADDED' || !this.#known.has(uid)) this.#tell(event);
    if (event.type === 'DELETED') {
      this.#uids.delete(uid);
      this.#known.delete(uid);
      return;
    }
    this.#known.add(uid);
    this.#uids.add(uid);
    this.#addOwners(event.object);
    // Later dependents come by themselves. The uid of an owner may belong to the run before the owner is known.
    if (!wasMember || event.type === 'ADDED') this.#addDependents(event.object);
  }

  has(uid: string): boolean {
    return this.#uids.has(uid);
  }

  /** Adds an object, and reports its existence. */
  add(object: Owned): void {
    if (this.#uids.has(object.metadata.uid)) return;
    this.#uids.add(object.metadata.uid);
    this.#known.add(object.metadata.uid);
    this.#tell({ type: 'ADDED', object });
    this.#addOwners(object);
    this.#addDependents(object);
  }

  /**
   * True while a Pod of the run terminates, is about to, because its owners are gone, or has ended and is about to be
   * removed: also one of another agent, which writes these states one after the other.
   */
  get haveTerminating(): boolean {
    return [...this.#uids].some((uid) => {
      const object = this.#cache.get(uid);
      if (object === undefined || !isPod(object) || object.status.phase === 'Unknown') return false;
      const { ownerReferences: owners = [] } = object.metadata;
      const isGarbage = owners.length > 0 && owners.every((owner) => this.#cache.get(owner.uid) === undefined);
      return isTerminating(object) || isRemnant(object) || (isGarbage && !isTerminalPhase(object.status.phase));
    });
  }

  #addOwners({ metadata: { ownerReferences = [] } }: Owned): void {
    for (const owner of ownerReferences) {
      const present = this.#cache.get(owner.uid);
      if (present === undefined) this.#uids.add(owner.uid);
      else this.add(present);
    }
  }

  #addDependents({ metadata: { uid } }: Owned): void {
    for (const dependent of this.#cache.dependentsOf(uid)) this.add(dependent);
  }
}

/** A workload that was applied, in its last known state. */
interface RunRoot extends Pick<Root, 'isGone'> {
  readonly object: Workload;
}

/** The workloads that a run was made for. */
export class RunRoots {
  readonly #roots = new Map<string, RunRoot>();
  readonly #forgetsRemoved: boolean;

  /** @param forgetsRemoved true: the ends of removed Pods are not needed */
  constructor(forgetsRemoved = false) {
    this.#forgetsRemoved = forgetsRemoved;
  }

  add(object: Workload): void {
    this.#roots.set(object.metadata.uid, { object, isGone: false });
  }

  changed({ type, object }: WatchEvent<Owned>): void {
    if (!this.#roots.has(object.metadata.uid)) return;
    if (type === 'DELETED' && this.#forgetsRemoved) this.#roots.delete(object.metadata.uid);
    else this.#roots.set(object.metadata.uid, { object: object as Workload, isGone: type === 'DELETED' });
  }

  get all(): readonly RunRoot[] {
    return [...this.#roots.values()];
  }

  get areOver(): boolean {
    return this.all.every(hasEnded);
  }
}

/** A Job that is to be removed at its end has ended when it is gone. */
function hasEnded(root: RunRoot): boolean {
  const { object, isGone } = root;
  if (object.kind === 'Job' && object.spec.ttlSecondsAfterFinished === 0) return isGone;
  return rootEnd(root) !== 'running';
}
