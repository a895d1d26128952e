import { isLost, isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import type { Alarm, Clock } from '../../clock.ts';
import type { FileStore } from '../../store/file-store.ts';

/** A Pod of which something is wanted, as it was found. */
export interface PodSource {
  readonly store: FileStore;
  readonly clock: Clock;
  readonly pod: StoredPod;
}

/** A file that is being written. */
export interface Growing {
  /** Calls back when something may have been written. */
  watch(onChange: () => void): { close(): void };
}

/** How often to look for what the file system did not tell. */
const LOOK_MS = 1000;

/** The Pod as it is now, unless another one has its name. */
function podNow({ store, pod }: PodSource): StoredPod | undefined {
  const { namespace, name, uid } = pod.metadata;
  const present = store.get<StoredPod>('pods', namespace, name);
  return present?.metadata.uid === uid ? present : undefined;
}

export interface Patience {
  /** Undefined: any time. */
  readonly timeoutMs?: number;
  /** A file to look at as well. */
  readonly growing?: Growing | undefined;
}

/**
 * Asks after every change of the Pod until there is an answer; undefined when the time is up.
 * @param ask is given the Pod as it is now; undefined: it is gone
 */
export function settled<T>(
  source: PodSource,
  { timeoutMs, growing }: Patience,
  ask: (pod: StoredPod | undefined) => T | undefined,
): Promise<T | undefined> {
  const { store, clock, pod } = source;
  const { namespace, name, uid } = pod.metadata;
  return new Promise((resolve) => {
    let alarm: Alarm | undefined;
    const finish = (answer: T | undefined): void => {
      subscription.close();
      growth?.close();
      alarm?.cancel();
      resolve(answer);
    };
    let isGone = false;
    const look = (): void => {
      const answer = ask(isGone ? undefined : podNow(source));
      if (answer !== undefined) finish(answer);
    };
    const subscription = store.watch<StoredPod>('pods', { namespace, name }, ({ type, object }) => {
      // The log tells of a deletion before the Pod's folder has left its place: until then, readers still find the Pod.
      if (type === 'DELETED' && object.metadata.uid === uid) isGone = true;
      look();
    });
    const growth = growing === undefined ? undefined : onGrowth(growing, clock, look);
    if (timeoutMs !== undefined) alarm = clock.wakeAt(clock.now().monotonicMs + timeoutMs, () => finish(undefined));
    look();
  });
}

/** Resolves once the Pod has ended, or is gone, or nobody runs it any more. */
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
