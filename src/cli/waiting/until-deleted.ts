import {
  isKeptByFinalizers,
  type PodrunError,
  PROTECTION,
  qualifiedKind,
  qualifiedPlural,
  type StoredKubeObject,
} from '../../api/index.ts';
import { type Clock, sleep } from '../../clock.ts';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER, type PropagationPolicy } from '../../controllers/index.ts';
import {
  deleteObject,
  getObject,
  isNamespace,
  type ObjectRef,
  podsThatUse,
  timedOutWaiting,
  waitForObject,
} from '../../apiserver/index.ts';
import type { DeletionAuthor } from '../../lifecycle/index.ts';
import type { FileStore } from '../../store/index.ts';
import type { Cli } from '../base/cli.ts';

/** The store, the clock and the way of all deletions. */
export interface DeleteSession {
  readonly store: FileStore;
  readonly clock: Clock;
  readonly graceSeconds: number | undefined;
  readonly propagation: PropagationPolicy;
  readonly author?: DeletionAuthor;
  /** Default: unknown, each deletion looks. */
  readonly hasDependents?: (uid: string) => boolean;
}

/** An object in deletion. */
export interface RemovedObject {
  readonly ref: ObjectRef;
  readonly uid: string;
}

/**
 * Waits until an object is gone: until its finalizers are removed, and a Pod has ended. Removes a Pod itself when the
 * agent of the Pod is killed meanwhile.
 */
export async function untilDeleted(
  cli: Cli,
  session: DeleteSession,
  { ref, uid }: RemovedObject,
  deadlineMs: number,
): Promise<PodrunError[]> {
  const { store, clock } = session;
  const { type, name } = ref;
  const isGone = (object: StoredKubeObject | undefined): boolean => object?.metadata.uid !== uid;
  let isNoted = false;
  const isMet = (object: StoredKubeObject | undefined): boolean => {
    if (object === undefined || isGone(object)) return true;
    if (isNamespace(ref)) return false;
    if (!isKeptByFinalizers(object)) return isAbandoned(store, ref);
    if (waitsForDependents(object)) return false;
    if (!isNoted) cli.note(heldLine(store, ref, object));
    isNoted = true;
    return false;
  };
  while (!isGone(getObject(store, ref))) {
    cli.detail(`waiting until ${qualifiedKind(type)}/${name} is gone`);
    // No watch tells when the dependents of an object have gone: this process looks again now and then.
    const lookMs = isCollected(store, ref) ? Math.min(deadlineMs, clock.now().monotonicMs + LOOK_AGAIN_MS) : deadlineMs;
    const isLate = (): boolean => clock.now().monotonicMs >= deadlineMs;
    const timedOut = [timedOutWaiting(`${qualifiedPlural(type)}/${name}`)];
    const isFree = await waitForObject({ store, clock, of: ref, deadlineMs: lookMs, isMet });
    if (!isFree && isLate()) return timedOut;
    if (isGone(getObject(store, ref))) break;
    await deleteObject(session, ref);
    // Something is in the way of an object that nothing keeps: without a pause, this process might hold it up.
    if (isFree && !isGone(getObject(store, ref))) {
      if (isLate()) return timedOut;
      await sleep(clock, RETRY_MS);
    }
  }
  return [];
}

/** Says what holds an object, and what ends the wait. kubectl prints nothing. */
function heldLine(
  store: FileStore,
  { type, namespace, name }: ObjectRef,
  { kind, metadata }: StoredKubeObject,
): string {
  const what = `${qualifiedKind(type)}/${name}`;
  if (metadata.finalizers?.join() === PROTECTION[kind]) {
    const pods = podsThatUse(store, { namespace, name }).map((pod) => pod.metadata.name);
    return pods.length === 0
      ? `${what} stays until nothing uses it`
      : `${what} stays until no Pod uses it: podrun delete pod ${pods.join(' ')} -n ${namespace}`;
  }
  const free = `podrun patch ${what} -n ${namespace} --type=merge -p '{"metadata":{"finalizers":null}}'`;
  return `${what} stays until its finalizers are removed: ${(metadata.finalizers ?? []).join(', ')} (${free})`;
}

/** The time before a further attempt to remove an object. */
const RETRY_MS = 10;

/** The time between two looks at what a deleted object waits for, where no agent looks. */
const LOOK_AGAIN_MS = 250;

/** True for a deleted object that goes with, or without, what it owns. */
function waitsForDependents({ metadata: { finalizers = [] } }: StoredKubeObject): boolean {
  return finalizers.some((name) => name === FOREGROUND_FINALIZER || name === ORPHAN_FINALIZER);
}

/** True when this process has to collect what the object waits for: its agent is gone, or it is a namespace. */
function isCollected(store: FileStore, ref: ObjectRef): boolean {
  if (isNamespace(ref)) return true;
  const object = getObject(store, ref);
  return (
    object !== undefined &&
    waitsForDependents(object) &&
    !store.owners.isOwned(ref.namespace, ref.name, ref.type.plural)
  );
}

function isAbandoned(store: FileStore, { type, namespace, name }: ObjectRef): boolean {
  return !store.owners.isOwned(namespace, name, type.plural);
}
