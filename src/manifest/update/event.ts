import type { Event } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import type { FieldError } from '../base/field-error.ts';
import { validateEvent, validateSeries } from '../validate/event.ts';
import { immutable } from './immutable.ts';
import { isSameValue } from './same-value.ts';

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
