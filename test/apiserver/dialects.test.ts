import { beforeAll, describe, expect, it } from 'vitest';
import { dialectOf, isServedIn, isWarningIn, mistakeIn, NEWEST_DIALECT } from '../../src/apiserver/base/dialects.ts';
import { inDialect, invalidObject } from '../../src/apiserver/base/status-error.ts';
import { loadPatterns } from '../../src/apiserver/custom/base/patterns.ts';
import type { SchemaProps } from '../../src/apiserver/custom/base/schema.ts';
import { servedResourcesOf } from '../../src/apiserver/custom/index.ts';
import { formatFieldError, invalid, tooLong } from '../../src/manifest/base/field-error.ts';
import { ENDPOINTS_DEPRECATED } from '../../src/manifest/index.ts';
import { shirtDefinition } from './custom/definition-of.ts';

beforeAll(loadPatterns);

describe('a dialect', () => {
  it.each([
    ['1.36', 'v1.36.2', 36],
    ['v1.36.2', 'v1.36.2', 36],
    ['1.36.0', 'v1.36.0', 36],
    ['1.34', 'v1.34.0', 34],
    ['1.34.x', 'v1.34.0', 34],
    ['1.34.7', 'v1.34.7', 34],
    ['1.29', 'v1.29.0', 29],
  ])('may be written as %s', (text, gitVersion, minor) => {
    expect(dialectOf(text)).toEqual({ gitVersion, minor });
  });

  it.each(['', '1', '1.28', '1.37', '2.34', '1.034', '1.34.1.1', 'latest', '1.34-alpha'])('is never %j', (text) => {
    expect(() => dialectOf(text)).toThrow(
      expect.objectContaining({ hint: 'Use one of 1.29, 1.30, 1.31, 1.32, 1.33, 1.34, 1.35, 1.36.' }),
    );
  });
});

const no = { rule: 'false', message: 'no' };
const ruled = (schema: SchemaProps, more: object = {}): SchemaProps => ({
  ...schema,
  'x-kubernetes-validations': [{ ...no, ...more }],
});
const inSpec = (schema: SchemaProps): SchemaProps => ({ type: 'object', properties: { f: schema } });
const list: SchemaProps = { type: 'array', items: { type: 'string' } };

/** A schema of `spec`, a value, and the mistake in the newest version and in older ones. */
type WordsCase = readonly [
  what: string,
  spec: SchemaProps,
  value: unknown,
  newest: string,
  older: Readonly<Record<string, string>>,
];

const WORDS: readonly WordsCase[] = [
  [
    'a rule about an object',
    ruled({ type: 'object' }),
    {},
    'spec: Invalid value: no',
    { '1.35': 'spec: Invalid value: "object": no', '1.29': 'spec: Invalid value: "object": no' },
  ],
  [
    'a rule about a list',
    inSpec(ruled(list)),
    { f: ['a'] },
    'spec.f: Invalid value: no',
    { '1.35': 'spec.f: Invalid value: "array": no' },
  ],
  [
    'a rule about a text',
    inSpec(ruled({ type: 'string' })),
    { f: 'a' },
    'spec.f: Invalid value: "a": no',
    { '1.35': 'spec.f: Invalid value: "string": no' },
  ],
  [
    'a rule about a number',
    inSpec(ruled({ type: 'number' })),
    { f: 3 },
    'spec.f: Invalid value: 3: no',
    { '1.35': 'spec.f: Invalid value: "number": no' },
  ],
  [
    'a rule about an integer or a text',
    inSpec(ruled({ 'x-kubernetes-int-or-string': true })),
    { f: 3 },
    'spec.f: Invalid value: 3: no',
    { '1.35': 'spec.f: Invalid value: "": no' },
  ],
  [
    'a rule with a message that is computed',
    ruled({ type: 'object' }, { messageExpression: "'never'" }),
    {},
    'spec: Invalid value: never',
    { '1.35': 'spec: Invalid value: "object": never' },
  ],
  [
    'a rule with the reason of a duplicate',
    inSpec(ruled({ type: 'string' }, { reason: 'FieldValueDuplicate' })),
    { f: 'a' },
    'spec.f: Duplicate value: "a"',
    { '1.35': 'spec.f: Duplicate value: "string"' },
  ],
  [
    'a rule with another reason',
    ruled({ type: 'object' }, { reason: 'FieldValueForbidden' }),
    {},
    'spec: Forbidden: no',
    { '1.35': 'spec: Forbidden: no', '1.29': 'spec: Forbidden: no' },
  ],
  [
    'a rule that cannot be evaluated',
    ruled({ type: 'object', properties: { a: { type: 'integer' } } }, { rule: 'self.a > 0' }),
    {},
    'spec: Invalid value: "object": no such key: a evaluating rule: no',
    { '1.29': 'spec: Invalid value: "object": no such key: a evaluating rule: no' },
  ],
  [
    'a text that is too long',
    inSpec({ type: 'string', maxLength: 1 }),
    { f: 'ab' },
    'spec.f: Too long: may not be more than 1 bytes',
    { '1.32': 'spec.f: Too long: may not be more than 1 bytes', '1.31': 'spec.f: Too long: may not be longer than 1' },
  ],
  [
    'a wrong value',
    inSpec({ type: 'integer', maximum: 1 }),
    { f: 2 },
    'spec.f: Invalid value: 2: spec.f in body should be less than or equal to 1',
    { '1.29': 'spec.f: Invalid value: 2: spec.f in body should be less than or equal to 1' },
  ],
];

describe('a mistake of a custom object', () => {
  it.each(WORDS)('%s has the words of the version', (_, spec, value, newest, older) => {
    const [resource] = servedResourcesOf(shirtDefinition(spec));
    const object = { apiVersion: 'stable.example.com/v1', kind: 'Shirt', metadata: { name: 'a' }, spec: value };
    const errors = resource?.custom?.validate(object, undefined) ?? [];
    const words = (version: string): string[] =>
      errors.map((error) => formatFieldError(mistakeIn(dialectOf(version), error)));
    expect(words('1.36')).toEqual([newest]);
    expect(Object.fromEntries(Object.keys(older).map((version) => [version, words(version).join(' ')]))).toEqual(older);
  });
});

it.each([
  ['1.33', 'null'],
  ['1.32', '"null"'],
])('a mistake of %s without a value shows %s', (version, shown) => {
  const words = (value: unknown): string => formatFieldError(mistakeIn(dialectOf(version), invalid('a', value, 'no')));
  expect([words(null), words('null'), words(1)]).toEqual([
    `a: Invalid value: ${shown}: no`,
    'a: Invalid value: "null": no',
    'a: Invalid value: 1: no',
  ]);
});

it.each([
  ['1.36', 'may not be more than 262144 bytes'],
  ['1.32', 'may not be more than 262144 bytes'],
  ['1.31', 'must have at most 262144 bytes'],
])('a Status of %s says of annotations that are too long: %s', (version, words) => {
  const error = invalidObject({ kind: 'Pod', group: '' }, 'web', [tooLong('metadata.annotations', 262_144)]);
  const { message, details } = inDialect(error, dialectOf(version)).failure;
  expect(message).toBe(`Pod "web" is invalid: metadata.annotations: Too long: ${words}`);
  expect(details?.causes).toEqual([
    { reason: 'FieldValueTooLong', message: `Too long: ${words}`, field: 'metadata.annotations' },
  ]);
});

it.each([
  ['resource.k8s.io/v1', 'resourceclaims', 34],
  ['storage.k8s.io/v1', 'volumeattributesclasses', 34],
  ['networking.k8s.io/v1', 'servicecidrs', 33],
  ['networking.k8s.io/v1', 'ingresses', 29],
  ['admissionregistration.k8s.io/v1', 'validatingadmissionpolicies', 30],
  ['admissionregistration.k8s.io/v1', 'mutatingadmissionpolicies', 36],
  ['admissionregistration.k8s.io/v1', 'mutatingwebhookconfigurations', 29],
])('%s has %s since 1.%i', (at, plural, since) => {
  const [group = '', version = ''] = at.split('/');
  const minors = [29, 30, 31, 32, 33, 34, 35, 36];
  const served = minors.filter((minor) => isServedIn(dialectOf(`1.${minor}`), { group, version, plural }));
  expect(served).toEqual(minors.filter((minor) => minor >= since));
});

it('a warning about Endpoints comes since 1.33', () => {
  const warned = (version: string): boolean => isWarningIn(dialectOf(version), ENDPOINTS_DEPRECATED);
  expect([warned('1.32'), warned('1.33'), isWarningIn(NEWEST_DIALECT, 'any')]).toEqual([false, true, true]);
});
