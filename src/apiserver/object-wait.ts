import { PodrunError } from '../api/errors.ts';
import type { StoredKubeObject, StoredPod } from '../api/objects.ts';
import type { Alarm, Clock } from '../clock.ts';
import type { Scope, Store, Subscription } from '../store/store.ts';

export interface ObjectWait {
  readonly store: Store;
  readonly clock: Clock;
  readonly resource: string;
  readonly scope: Scope;
  /** The deadline in monotonic milliseconds. */
  readonly deadlineMs: number;
  /**
   * Called with each object in the scope, at the start and after every change, and with undefined for a missing object.
   * `untilMs` asks for another call at that monotonic time. An exception ends the wait.
   */
  readonly isMet: (object: StoredKubeObject | undefined) => boolean | { readonly untilMs: number };
  /** Ends the wait, as the deadline does. */
  readonly signal?: AbortSignal | undefined;
}

/** Waits for objects. Resolves with true when the condition is met, with false after the deadline. */
export function waitForObject({
  store,
  clock,
  resource,
  scope,
  deadlineMs,
  isMet,
  signal,
}: ObjectWait): Promise<boolean> {
  let subscription: Subscription | undefined;
  let alarm: Alarm | undefined;
  let nextLook: Alarm | undefined;
  let giveUp: () => void = () => undefined;
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
    subscription = store.watch<StoredKubeObject>(resource, scope, (event) => {
      look(event.type === 'DELETED' ? undefined : event.object);
    });
    const present = store.list<StoredKubeObject>(resource, scope);
    for (const object of present.length === 0 ? [undefined] : present) look(object);
    giveUp = () => resolve(false);
    alarm = clock.wakeAt(deadlineMs, giveUp);
    signal?.addEventListener('abort', giveUp);
  });
  return result.finally(() => {
    subscription?.close();
    alarm?.cancel();
    nextLook?.cancel();
    signal?.removeEventListener('abort', giveUp);
  });
}

/**
 * Waits for a Pod that matches, and answers all that do.
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
    resource: 'pods',
    scope: { namespace },
    deadlineMs: clock.now().monotonicMs + timeoutMs,
    isMet: (pod) => pod !== undefined && matches(pod as unknown as StoredPod),
  });
  if (!isThere) throw timedOutWaiting();
  return store.list<StoredPod>('pods', { namespace }).filter(matches);
}

/** kubectl's error at the deadline of a wait. */
export function timedOutWaiting(object?: string): PodrunError {
  const on = object === undefined ? '' : ` on ${object}`;
  return new PodrunError('GoalNotReached', `timed out waiting for the condition${on}`);
}
