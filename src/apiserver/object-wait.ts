import {
  noSuchObject,
  PodrunError,
  type ResourceType,
  storageOf,
  type StoredKubeObject,
  type StoredPod,
} from '../api/index.ts';
import type { Alarm, Clock } from '../clock.ts';
import type { Scope, Store } from '../store/index.ts';

const POD = { plural: 'pods' } as const;

export interface ObjectWait {
  readonly store: Store;
  readonly clock: Clock;
  /** An object, or without a name all objects of a type in a namespace. */
  readonly of: { readonly type: Pick<ResourceType, 'custom' | 'plural'> } & Scope;
  /** The deadline in monotonic milliseconds. Default: none. */
  readonly deadlineMs?: number;
  /**
   * Called with each object, at the start and after every change, and with undefined for a missing object. `untilMs`
   * asks for another call at that monotonic time. An exception ends the wait.
   */
  readonly isMet: (object: StoredKubeObject | undefined) => boolean | { readonly untilMs: number };
  /** Ends the wait, as the deadline does. */
  readonly signal?: AbortSignal | undefined;
}

/** Waits for objects. Resolves with true when the condition is met, with false after the deadline. */
export function waitForObject({
  store,
  clock,
  of: { type, ...scope },
  deadlineMs = Number.POSITIVE_INFINITY,
  isMet,
  signal,
}: ObjectWait): Promise<boolean> {
  const resource = storageOf(type);
  const ends: Array<() => void> = [];
  let nextLook: Alarm | undefined;
  const result = new Promise<boolean>((resolve, reject) => {
    const look = (object: StoredKubeObject | undefined): void => {
      nextLook?.cancel();
      try {
        const answer = isMet(object);
        if (answer === true) resolve(true);
        else if (answer !== false) nextLook = clock.wakeAt(answer.untilMs, () => look(object));
      } catch (error) {
        reject(error);
      }
    };
    // Watches before it reads the objects for the first time, so that no change is missed.
    const subscription = store.watch<StoredKubeObject>(resource, scope, (event) => {
      look(event.type === 'DELETED' ? undefined : event.object);
    });
    ends.push(() => subscription.close());
    const present = store.list<StoredKubeObject>(resource, scope);
    for (const object of present.length === 0 ? [undefined] : present) look(object);
    const giveUp = (): void => resolve(false);
    const alarm = Number.isFinite(deadlineMs) ? clock.wakeAt(deadlineMs, giveUp) : undefined;
    signal?.addEventListener('abort', giveUp);
    ends.push(
      () => alarm?.cancel(),
      () => signal?.removeEventListener('abort', giveUp),
    );
  });
  return result.finally(() => {
    nextLook?.cancel();
    for (const end of ends) end();
  });
}

/**
 * Waits for a Pod that matches, and returns all matching Pods.
 * @throws {PodrunError} when there is none in time
 */
export async function waitForPods(
  place: { store: Store; clock: Clock; namespace: string; timeoutMs: number },
  matches: (pod: StoredPod) => boolean,
): Promise<StoredPod[]> {
  const { store, clock, namespace, timeoutMs } = place;
  const isThere = await waitForObject({
    store,
    clock,
    of: { type: POD, namespace },
    deadlineMs: clock.now().monotonicMs + timeoutMs,
    isMet: (pod) => pod !== undefined && matches(pod as unknown as StoredPod),
  });
  if (!isThere) throw timedOutWaiting();
  return store.list<StoredPod>('pods', { namespace }).filter(matches);
}

/**
 * Waits without a deadline until this very Pod meets a condition. Returns the Pod.
 * @throws {PodrunError} (NotFound) when it is removed
 */
export async function waitForPod(
  place: { readonly store: Store; readonly clock: Clock },
  { metadata: { namespace, name, uid } }: StoredPod,
  isMet: (pod: StoredPod) => boolean,
): Promise<StoredPod> {
  let last: StoredPod | undefined;
  await waitForObject({
    ...place,
    of: { type: POD, namespace, name },
    isMet: (object) => {
      if (object?.metadata.uid !== uid) throw noSuchObject('pods', name);
      last = object as unknown as StoredPod;
      return isMet(last);
    },
  });
  if (last === undefined) throw new TypeError('the wait for a Pod ended early');
  return last;
}

/** kubectl's error at the deadline of a wait. */
export function timedOutWaiting(object?: string): PodrunError {
  const on = object === undefined ? '' : ` on ${object}`;
  return new PodrunError('GoalNotReached', `timed out waiting for the condition${on}`);
}
