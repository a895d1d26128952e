import { describe, expect, it } from 'vitest';
import type { Event } from '../../src/api/generated/types.ts';
import { formatFieldError } from '../../src/manifest/base/field-error.ts';
import { validateStrictEventUpdate } from '../../src/manifest/update/index.ts';
import { validateEvent, validateStrictEvent } from '../../src/manifest/validate/event.ts';

const TIME = '2026-11-26T10:00:00.000001Z';
const told: Event = {
  metadata: { name: 'told', namespace: 'shop' },
  involvedObject: { kind: 'Pod', name: 'web', namespace: 'shop' },
  eventTime: TIME,
  reportingComponent: 'example.com/teller',
  reportingInstance: 'teller-1',
  action: 'Tell',
  reason: 'Told',
  type: 'Normal',
};
const old: Event = { metadata: told.metadata, involvedObject: told.involvedObject };
const elsewhere = (namespace: string): string =>
  `involvedObject.namespace: Invalid value: "${namespace}": does not match event.namespace`;

describe('an Event', () => {
  it.each<[string, Event, string[]]>([
    ['of today', told, []],
    ['of the old form', old, []],
    ['of the old form about an object elsewhere', { ...old, involvedObject: { namespace: 'x' } }, [elsewhere('x')]],
    ['about an object elsewhere', { ...told, involvedObject: { namespace: 'x' } }, []],
    ['about an object of no namespace', { ...told, involvedObject: { kind: 'Node' } }, [elsewhere('')]],
    ['about a Node', { ...told, metadata: { namespace: 'kube-system' }, involvedObject: {} }, []],
    ['of the old form about a Node', { metadata: { namespace: 'default' }, involvedObject: {} }, []],
    [
      'that says little',
      { ...old, eventTime: TIME, message: 'ä'.repeat(513) },
      [
        'reportingComponent: Required value',
        'reportingComponent: Invalid value: "": name part must be non-empty',
        expect.stringMatching('^reportingComponent: Invalid value: "": name part must consist of'),
        'reportingInstance: Required value',
        'action: Required value',
        'reason: Required value',
        'message: Invalid value: "": can have at most 1024 characters',
      ],
    ],
  ])('%s', (_, event, want) => {
    expect(validateEvent(event).map(formatFieldError)).toEqual(want);
  });

  it.each<[string, Event, string[]]>([
    ['is whole', { ...told, source: {}, firstTimestamp: null }, []],
    [
      'has fields of the old form',
      { ...told, firstTimestamp: TIME, count: 1, source: { host: 'h' }, type: 'Loud' },
      [
        'type: Invalid value: "": has invalid value: Loud',
        'firstTimestamp: Invalid value: "": needs to be unset',
        'count: Invalid value: "": needs to be unset',
        'source: Invalid value: "": needs to be unset',
      ],
    ],
    [
      'has no time',
      { ...told, eventTime: null, series: { count: 1 } },
      [
        'series.count: Invalid value: "": should be at least 2',
        'series.lastObservedTime: Required value',
        'eventTime: Required value',
      ],
    ],
  ])('of events.k8s.io that %s', (_, event, want) => {
    expect(validateStrictEvent(event).map(formatFieldError)).toEqual(want);
  });

  it.each<[string, Partial<Event>, string[]]>([
    ['its series', { series: { count: 2, lastObservedTime: TIME }, source: {}, count: 0 }, []],
    ['its series to nothing', { series: { count: 0 } }, [expect.anything(), expect.anything()]],
    [
      'its story',
      { message: 'x', related: { name: 'r' }, reportingInstance: 'other' },
      [
        'message: Invalid value: "x": field is immutable',
        'related: Invalid value: {"name":"r"}: field is immutable',
        'reportingInstance: Invalid value: "other": field is immutable',
      ],
    ],
  ])('of events.k8s.io may change %s', (_, change, want) => {
    expect(validateStrictEventUpdate(told, { ...told, ...change }).map(formatFieldError)).toEqual(want);
  });
});
