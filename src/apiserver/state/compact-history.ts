import type { Alarm, Clock } from '../../clock.ts';
import type { Subscription } from '../../store/index.ts';
import type { ServedObjects } from './served-objects.ts';

/** Source: apiserver/pkg/storage/storagebackend/config.go, DefaultCompactInterval. */
const INTERVAL_MS = 5 * 60_000;
/** Changes are kept for 25 to 50 seconds, or longer when few came later. The API server has 75 seconds. */
const CHANGES_MS = 25_000;

/**
 * Ends the lists of old versions after five to ten minutes, as etcd does: clients that list in parts have to be ready
 * for it. Forgets old changes earlier.
 */
export function compactHistory(objects: ServedObjects, clock: Clock): Subscription {
  const all = [
    passingOn(objects, clock, INTERVAL_MS, (version) => objects.compact(version)),
    passingOn(objects, clock, CHANGES_MS, (version) => objects.forgetChanges(version)),
  ];
  return { close: () => all.forEach((one) => one.close()) };
}

/** Calls again and again with the version of the last time. */
function passingOn(
  objects: ServedObjects,
  clock: Clock,
  periodMs: number,
  call: (version: number) => void,
): Subscription {
  let alarm: Alarm;
  const wait = (version: number): void => {
    alarm = clock.wakeAt(clock.now().monotonicMs + periodMs, () => {
      call(version);
      wait(objects.version);
    });
  };
  wait(0);
  return { close: () => alarm.cancel() };
}
