import { isLost, isTerminalPhase, resolvedUid, type StoredPod } from '../../api/index.ts';
import type { Alarm, Clock } from '../../clock.ts';
import type { Store } from '../base/store.ts';

/** A Pod to watch, as found in the store. */
export interface PodSource {
  readonly store: Store & { readonly root: string };
  readonly clock: Clock;
  readonly pod: StoredPod;
}

/** A file that grows. */
export interface Growing {
  /** Calls back when the file may have grown. */
  watch(onChange: () => void): { close(): void };
}

/** The period for a look without a notification: file systems may miss some. */
const LOOK_MS = 1000;

/** The present state of the Pod. Undefined when the Pod is gone, or another Pod has its name. */
function podNow({ store, pod }: PodSource): StoredPod | undefined {
  const present = store.get<StoredPod>('pods', pod.metadata.namespace, pod.metadata.name);
  return present !== undefined && resolvedUid(present) === resolvedUid(pod) ? present : undefined;
}

export interface Patience {
  /** Undefined: no limit. */
  readonly timeoutMs?: number;
  /** A file to watch beside the Pod. */
  readonly growing?: Growing | undefined;
  /** Ends the wait without an answer. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Calls `ask` after every change of the Pod, until it returns a value. Resolves with undefined when the time is up, or
 * at the signal.
 * @param ask gets the present state of the Pod; undefined when the Pod is gone
 */
export function settled<T>(
  source: PodSource,
  { timeoutMs, growing, signal }: Patience,
  ask: (pod: StoredPod | undefined) => T | undefined,
): Promise<T | undefined> {
  const { store, clock, pod } = source;
  const { namespace, name } = pod.metadata;
  return new Promise((resolve) => {
    let alarm: Alarm | undefined;
    const onAbort = (): void => finish(undefined);
    const finish = (answer: T | undefined): void => {
      signal?.removeEventListener('abort', onAbort);
      subscription.close();
      growth?.close();
      alarm?.cancel();
      resolve(answer);
    };
    const look = (): void => {
      const answer = ask(podNow(source));
      if (answer !== undefined) finish(answer);
    };
    const subscription = store.watch('pods', { namespace, name }, look);
    const growth = growing === undefined ? undefined : onGrowth(growing, clock, look);
    if (timeoutMs !== undefined) alarm = clock.wakeAt(clock.now().monotonicMs + timeoutMs, () => finish(undefined));
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted === true) finish(undefined);
    else look();
  });
}

/** Resolves when the Pod has ended or is gone, or its agent is gone. */
export function podOver(source: PodSource): Promise<unknown> {
  return settled(source, {}, (pod) =>
    pod === undefined || isLost(pod.status) || isTerminalPhase(pod.status.phase) ? true : undefined,
  );
}

/** Calls back when a file may have grown, until closed. */
export function onGrowth(reader: Growing, clock: Clock, look: () => void): { close(): void } {
  const watcher = reader.watch(look);
  let alarm: Alarm;
  const plan = (): void => {
    alarm = clock.wakeAt(clock.now().monotonicMs + LOOK_MS, () => {
      plan();
      look();
    });
  };
  plan();
  return {
    close: () => {
      watcher.close();
      alarm.cancel();
    },
  };
}
