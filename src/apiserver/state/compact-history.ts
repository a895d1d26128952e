import type { Alarm, Clock } from '../../clock.ts';
import type { Subscription } from '../../store/store.ts';
import type { ServedObjects } from './served-objects.ts';

/** Source: apiserver/pkg/storage/storagebackend/config.go, DefaultCompactInterval. */
const INTERVAL_MS = 5 * 60_000;

/**
 * Ends the lists of old versions after five to ten minutes, as etcd does: clients that list in parts have to be ready
 * for it.
 */
export function compactHistory(objects: ServedObjects, clock: Clock): Subscription {
  let alarm: Alarm;
  const wait = (version: number): void => {
    alarm = clock.wakeAt(clock.now().monotonicMs + INTERVAL_MS, () => {
      objects.compact(version);
      wait(objects.version);
    });
  };
  wait(0);
  return { close: () => alarm.cancel() };
}
