import { type Event, goQuote, type KubeObject, type ObjectMeta } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, forbidden } from '../base/field-error.ts';
import { omit } from '../default/fill.ts';
import { validateEvent, validateSeries } from '../validate/event.ts';
import { immutable, isSameValue } from './differences.ts';

const FIXED = ['name', 'namespace', 'uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

/**
 * The metadata of a changed object. Fields that only the server writes stay as stored.
 * Source: k8s.io/apiserver/pkg/registry/rest/update.go, BeforeUpdate.
 */
export function withServerFields(stored: ObjectMeta, changed: ObjectMeta): ObjectMeta {
  const { uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } = stored;
  return {
    ...omit(changed, ['selfLink', 'generation', 'resourceVersion', 'creationTimestamp']),
    ...withoutUndefined({ resourceVersion, generation, creationTimestamp }),
    ...withoutUndefined({
      uid: changed.uid || uid,
      deletionTimestamp: deletionTimestamp ?? changed.deletionTimestamp,
      deletionGracePeriodSeconds: changed.deletionGracePeriodSeconds ?? stored.deletionGracePeriodSeconds,
    }),
  };
}

function withoutUndefined<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}

/** Source: k8s.io/apimachinery/pkg/api/validation/objectmeta.go, ValidateObjectMetaAccessorUpdate. */
export function validateMetadataUpdate(stored: KubeObject, changed: KubeObject): FieldError[] {
  const [before, after] = [stored.metadata, changed.metadata];
  return [
    ...(['apiVersion', 'kind'] as const).flatMap((field) => immutable(field, stored[field], changed[field], 'string')),
    ...validateFinalizers(before, after),
    ...FIXED.flatMap((field) => immutable(`metadata.${field}`, before[field], after[field], 'string')),
  ];
}

/** Refuses new finalizers for an object that is being deleted. */
function validateFinalizers(before: ObjectMeta, after: ObjectMeta): FieldError[] {
  if (before.deletionTimestamp === undefined) return [];
  const added = (after.finalizers ?? []).filter((finalizer) => !(before.finalizers ?? []).includes(finalizer));
  if (added.length === 0) return [];
  const text = 'no new finalizers can be added if the object is being deleted, found new finalizers';
  return [forbidden('metadata.finalizers', `${text} []string{${added.sort().map(goQuote).join(', ')}}`)];
}

/** The metadata before a change of a part, with the managers after it. */
export function withManagersOf<T extends Decoded<ObjectMeta>>(before: T | undefined, after: T | undefined): T {
  const managedFields = after?.managedFields;
  return { ...(before as T), ...(managedFields && { managedFields }) };
}

/**
 * The mistakes of a change of an Event through the group events.k8s.io, in the names of the core group: only its series
 * and its metadata may change. Source: pkg/apis/core/validation/events.go, ValidateEventUpdate.
 */
export function validateStrictEventUpdate(stored: Decoded<Event>, changed: Decoded<Event>): FieldError[] {
  const text = (path: string, before: unknown, after: unknown): FieldError[] =>
    immutable(path, before || '', after || '', 'string');
  const texts = (fields: readonly (keyof Event)[]): FieldError[] =>
    fields.flatMap((field) => text(field, stored[field], changed[field]));
  return [
    ...validateEvent(changed, 'reportingController'),
    ...(isSameValue(stored.series, changed.series, 'EventSeries') ? [] : validateSeries(changed)),
    ...immutable('involvedObject', stored.involvedObject ?? {}, changed.involvedObject ?? {}, 'ObjectReference'),
    ...texts(['reason', 'message']),
    ...immutable('source', stored.source ?? {}, changed.source ?? {}, 'EventSource'),
    ...texts(['firstTimestamp', 'lastTimestamp']),
    ...immutable('count', stored.count ?? 0, changed.count ?? 0, 'int32'),
    ...texts(['type', 'eventTime', 'action']),
    ...immutable('related', stored.related, changed.related, 'ObjectReference'),
    ...text('reportingController', stored.reportingComponent, changed.reportingComponent),
    ...text('reportingInstance', stored.reportingInstance, changed.reportingInstance),
  ];
}
