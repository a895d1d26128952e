import { DEFAULT_NAMESPACE, type Event, qualifiedNameMessages, subdomainMessages } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { type FieldError, invalid, required } from '../base/field-error.ts';
import { requiredText, wellFormed } from './checks.ts';
import { validateMetadata } from './metadata.ts';

/** Both count in bytes, as Go does. */
const [WORD_MAX, MESSAGE_MAX] = [128, 1024];
const OTHER_NAMESPACE = 'does not match event.namespace';
const SYSTEM_NAMESPACE = 'kube-system';

/**
 * The mistakes of an Event, whichever group a client writes it in: those without `eventTime` are of the old form.
 * Source: pkg/apis/core/validation/events.go, legacyValidateEvent.
 * @param reporter the name of the field with the controller in the group
 */
export function validateEvent(event: Decoded<Event>, reporter = 'reportingComponent'): FieldError[] {
  const { metadata, involvedObject, eventTime } = event;
  const [own = '', involved = ''] = [metadata?.namespace, involvedObject?.namespace];
  const isOld = !eventTime;
  const matches =
    involved === '' ? own === DEFAULT_NAMESPACE || (!isOld && own === SYSTEM_NAMESPACE) : !isOld || involved === own;
  return [
    ...(matches ? [] : [invalid('involvedObject.namespace', involved, OTHER_NAMESPACE)]),
    ...(isOld ? [] : validateReport(event, reporter)),
  ];
}

function validateReport(
  { reportingComponent = '', reportingInstance, action, reason, message }: Decoded<Event>,
  reporter: string,
): FieldError[] {
  return [
    ...requiredText(reporter, reportingComponent),
    ...wellFormed(reporter, reportingComponent, qualifiedNameMessages),
    ...requiredText('reportingInstance', reportingInstance),
    ...notLonger('reportingInstance', reportingInstance, WORD_MAX),
    ...requiredText('action', action),
    ...notLonger('action', action, WORD_MAX),
    ...requiredText('reason', reason),
    ...notLonger('reason', reason, WORD_MAX),
    ...notLonger('message', message, MESSAGE_MAX),
  ];
}

function notLonger(path: string, text = '', max: number): FieldError[] {
  return Buffer.byteLength(text) > max ? [invalid(path, '', `can have at most ${max} characters`)] : [];
}

/**
 * The mistakes of an Event that is created through the group events.k8s.io, in the names of the core group.
 * Source: pkg/apis/core/validation/events.go, ValidateEventCreate.
 */
export function validateStrictEvent(event: Decoded<Event>): FieldError[] {
  const { metadata, eventTime, type = '', source, count } = event;
  const unset = (path: string, value: unknown): FieldError[] => (value ? [invalid(path, '', 'needs to be unset')] : []);
  return [
    ...validateEvent(event, 'reportingController'),
    ...validateMetadata(metadata, subdomainMessages),
    ...validateSeries(event),
    ...(eventTime ? [] : [required('eventTime')]),
    ...(type === 'Normal' || type === 'Warning' ? [] : [invalid('type', '', `has invalid value: ${type}`)]),
    ...unset('firstTimestamp', event.firstTimestamp),
    ...unset('lastTimestamp', event.lastTimestamp),
    ...unset('count', count),
    ...unset('source', source?.component || source?.host),
  ];
}

/** Source: pkg/apis/core/validation/events.go, validateV1EventSeries. */
export function validateSeries({ series }: Decoded<Event>): FieldError[] {
  if (series === undefined) return [];
  return [
    ...((series.count ?? 0) < 2 ? [invalid('series.count', '', 'should be at least 2')] : []),
    ...(series.lastObservedTime ? [] : [required('series.lastObservedTime')]),
  ];
}
