import type { JsonObject } from '../../api/index.ts';

const of = (schema: JsonObject, name: string, description: string): JsonObject => ({
  name,
  in: 'query',
  description,
  schema: { ...schema, uniqueItems: true },
});
const text = (name: string, description: string): JsonObject => of({ type: 'string' }, name, description);
const flag = (name: string, description: string): JsonObject => of({ type: 'boolean' }, name, description);
const number = (name: string, description: string): JsonObject => of({ type: 'integer' }, name, description);

const DRY_RUN = text('dryRun', 'All: nothing is stored.');

/** The parameters of writes. */
export const WRITE_PARAMETERS: readonly JsonObject[] = [
  DRY_RUN,
  text('fieldManager', 'The name of the client that makes the change.'),
  text('fieldValidation', 'Ignore, Warn or Strict: the treatment of unknown and duplicate fields.'),
];

/** The parameter of a server-side apply. */
export const FORCE: JsonObject = flag('force', 'Takes fields from other managers.');

const SELECTING: readonly JsonObject[] = [
  text('continue', 'The token of the last part of a list.'),
  text('fieldSelector', 'The objects whose fields have these values.'),
  text('labelSelector', 'The objects whose labels have these values.'),
  number('limit', 'The most items of one part of a list.'),
  text('resourceVersion', 'The version that the response has at least.'),
  text('resourceVersionMatch', 'Exact or NotOlderThan: the meaning of resourceVersion.'),
  flag('sendInitialEvents', 'A watch begins with the objects that exist.'),
  number('timeoutSeconds', 'The time after which a watch ends.'),
];

/** The parameters of lists and watches. */
export const LIST_PARAMETERS: readonly JsonObject[] = [
  flag('allowWatchBookmarks', 'A watch sends its version from time to time.'),
  ...SELECTING,
  flag('watch', 'The changes of a list, as they happen.'),
];

/** The parameters of deletions. */
export const DELETE_PARAMETERS: readonly JsonObject[] = [
  DRY_RUN,
  number('gracePeriodSeconds', 'The time that a Pod has to end.'),
  flag('ignoreStoreReadErrorWithClusterBreakingPotential', 'Deletes an object that cannot be read.'),
  flag('orphanDependents', 'Keeps what belongs to the object.'),
  text('propagationPolicy', 'Orphan, Background or Foreground: the fate of what belongs to the object.'),
];

/** The parameters of the deletion of a collection. */
export const DELETE_COLLECTION_PARAMETERS: readonly JsonObject[] = [...DELETE_PARAMETERS, ...SELECTING];
