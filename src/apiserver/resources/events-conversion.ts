import type { Event, KubeObject } from '../../api/index.ts';
import { type Decoded, validateStrictEvent, validateStrictEventUpdate } from '../../manifest/index.ts';
import type { Conversion } from './served-resource.ts';

const GROUP_VERSION = 'events.k8s.io/v1';

/**
 * The fields of an Event of the group events.k8s.io, and their names in the core group. Source:
 * pkg/apis/events/v1/conversion.go.
 */
const NAMES: ReadonlyArray<readonly [string, string]> = [
  ['note', 'message'],
  ['regarding', 'involvedObject'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];

/** Events of the two groups are the same objects. */
export const EVENTS_CONVERSION: Conversion = {
  storedGroup: '',
  toVersion: (event) => renamed(event, GROUP_VERSION, new Map(NAMES.map(([own, core]) => [core, own]))),
  toStored: (event) => renamed(event, 'v1', new Map(NAMES)),
  errors: (event: Decoded<Event>, before: Decoded<Event> | undefined) =>
    before === undefined ? validateStrictEvent(event) : validateStrictEventUpdate(before, event),
};

function renamed<T extends KubeObject>(event: T, apiVersion: string, names: ReadonlyMap<string, string>): T {
  if (event.apiVersion === apiVersion) return event;
  const fields = Object.entries(event).map(([name, value]) => [names.get(name) ?? name, value] as const);
  return { ...Object.fromEntries(fields), apiVersion } as T;
}
