import { hasCode } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type { ControllerAction, Owned } from '../../controllers/index.ts';
import type { FileStore } from '../../store/index.ts';
import { garbageIn } from './garbage.ts';
import { controlledTypes } from '../informer/object-cache.ts';
import { writePatch } from '../base/write-patch.ts';
import { deletePod } from './delete-pod.ts';
import { deleteRecord } from './delete-record.ts';

/** Owners of owners, and finalizers that go one after the other. */
const ROUNDS_MAX = 100;

/**
 * Collects the garbage of a namespace after the deletion of an object that no agent looks after: what its agent would
 * collect. Pods of other agents are only asked to end.
 * @throws {PodrunError} when the store cannot be written to
 */
export async function collectDependents(store: FileStore, clock: Clock, namespace: string): Promise<void> {
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const objects = controlledTypes().flatMap(({ plural }) => store.list<Owned>(plural, { namespace }));
    const actions = garbageIn(objects, store);
    if (actions.length === 0) return;
    for (const action of actions) await carryOut(store, clock, action);
  }
}

/** The time for which owners are remembered: objects may be made meanwhile. */
const LOOK_AGAIN_MS = 1000;

/**
 * Says whether an object has dependents, for many deletions one after the other: with 500 Pods, a look at all of them
 * takes 0.1 s.
 */
export function dependentsIn(store: FileStore, clock: Clock): (uid: string) => boolean {
  let seen: { readonly owners: ReadonlySet<string>; readonly atMs: number } | undefined;
  return (uid) => {
    const { monotonicMs } = clock.now();
    if (seen === undefined || monotonicMs - seen.atMs >= LOOK_AGAIN_MS) {
      const objects = controlledTypes().flatMap(({ plural }) => store.list<Owned>(plural));
      const owners = objects.flatMap(({ metadata }) => metadata.ownerReferences ?? []).map((owner) => owner.uid);
      seen = { owners: new Set(owners), atMs: clock.now().monotonicMs };
    }
    return seen.owners.has(uid);
  };
}

async function carryOut(store: FileStore, clock: Clock, action: ControllerAction): Promise<void> {
  try {
    if (action.type === 'update') writePatch(store, action.on, action.patch ?? {});
    if (action.type !== 'delete') return;
    const { apiVersion, kind, ...metadata } = action.on;
    if (kind === 'Pod') await deletePod({ store, clock, ...metadata, graceSeconds: undefined });
    else deleteRecord(store, clock, { apiVersion, kind, metadata }, action.propagation);
  } catch (error) {
    // Another client has collected it.
    if (!hasCode(error, 'NotFound') && !hasCode(error, 'Conflict')) throw error;
  }
}
