import type { StoredKubeObject } from '../api/objects.ts';
import type { Alarm, Clock } from '../clock.ts';
import type { Scope, Store, Subscription } from '../store/store.ts';

export interface ObjectWait {
  readonly store: Store;
  readonly clock: Clock;
  readonly resource: string;
  readonly scope: Scope;
  /** On the stopwatch of the clock. */
  readonly deadlineMs: number;
  /**
   * Asked of everything in the scope, at the start and after every change; undefined stands for an object that does
   * not exist. `untilMs` asks again at that time, on the stopwatch. What it throws ends the wait.
   */
  readonly isMet: (object: StoredKubeObject | undefined) => boolean | { readonly untilMs: number };
  /** Ends the wait as if the deadline had passed. */
  readonly signal?: AbortSignal | undefined;
}

/** Resolves with true as soon as things are as they should be, with false when the deadline has passed. */
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
    // Watching begins before the first look: nothing happens unseen in between.
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
