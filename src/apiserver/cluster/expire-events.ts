import type { Alarm } from '../../clock.ts';
import type { Subscription } from '../../store/index.ts';
import type { ServerContext } from '../base/context.ts';
import { removeExpiredEvents } from '../deletion/expired-events.ts';
import { reported } from './reported.ts';

/** The period of the looks for Events that have expired. */
const LOOK_MS = 300_000;

/** Removes the Events about objects that are gone when they expire. */
export function expireEvents(context: ServerContext): Subscription {
  const { store, clock } = context;
  let alarm: Alarm | undefined;
  const look = (): void => {
    reported(context, 'Events that have expired', () => removeExpiredEvents(store, clock));
    alarm = clock.wakeAt(clock.now().monotonicMs + LOOK_MS, look);
  };
  look();
  return { close: () => alarm?.cancel() };
}
