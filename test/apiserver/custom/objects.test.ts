import { beforeAll, describe, expect, it } from 'vitest';
import { loadPatterns } from '../../../src/apiserver/custom/base/patterns.ts';
import { formatFieldError } from '../../../src/manifest/base/field-error.ts';
import { servedResourcesOf } from '../../../src/apiserver/custom/index.ts';
import type { SchemaProps, ValidationRule } from '../../../src/apiserver/custom/base/schema.ts';
import { shirtDefinition } from './definition-of.ts';

beforeAll(loadPatterns);

/** A version of Shirts whose `spec` has this schema. */
function versionOf(spec: SchemaProps) {
  const [resource] = servedResourcesOf(shirtDefinition(spec));
  if (resource?.custom === undefined) throw new Error('not served');
  return resource.custom;
}

const shirt = (spec: unknown): Record<string, unknown> => ({
  apiVersion: 'stable.example.com/v1',
  kind: 'Shirt',
  metadata: { name: 'a' },
  spec,
});

function textsOf(spec: SchemaProps, value: unknown, before?: unknown): string[] {
  const stored = before === undefined ? undefined : shirt(before);
  return versionOf(spec).validate(shirt(value), stored).map(formatFieldError);
}

const fields = (properties: Record<string, SchemaProps>, more: SchemaProps = {}): SchemaProps => ({
  type: 'object',
  properties,
  ...more,
});

describe('a custom object', () => {
  it('loses fields that its schema does not know', () => {
    const { decode } = versionOf(
      fields({ a: { type: 'string' }, l: { type: 'array', items: fields({ b: { type: 'string' } }) } }),
    );
    const decoded = decode({ ...shirt({ a: '1', x: 1, l: [{ b: '1', y: 2 }] }), z: 1 });
    expect(decoded.object).toEqual(shirt({ a: '1', l: [{ b: '1' }] }));
    expect(decoded.unknown).toEqual(['spec.x', 'spec.l[0].y', 'z']);
  });

  it('keeps them where the schema says so', () => {
    const { decode } = versionOf(
      fields({ a: fields({ b: { type: 'string' } }) }, { 'x-kubernetes-preserve-unknown-fields': true }),
    );
    expect(decode(shirt({ x: { y: 1 }, a: { b: '1', c: 2 } })).object).toEqual(shirt({ x: { y: 1 }, a: { b: '1' } }));
  });

  it('gets defaults from outside to inside, for a null, too', () => {
    const { decode } = versionOf(
      fields({
        a: { ...fields({ b: { type: 'integer', default: 3 } }), default: {} },
        n: { type: 'string', default: 'x' },
      }),
    );
    expect(decode(shirt({ n: null })).object).toEqual(shirt({ n: 'x', a: { b: 3 } }));
  });

  it.each<[SchemaProps, unknown, string]>([
    [{ type: 'string' }, 1, 'Invalid value: "integer": spec.f in body must be of type string: "integer"'],
    [{ type: 'integer' }, 1.5, 'Invalid value: "number": spec.f in body must be of type integer: "number"'],
    [{ type: 'integer', minimum: 1 }, 0, 'Invalid value: 0: spec.f in body should be greater than or equal to 1'],
    [{ type: 'integer', maximum: 10 }, 11, 'Invalid value: 11: spec.f in body should be less than or equal to 10'],
    [{ type: 'number', multipleOf: 2 }, 3, 'Invalid value: 3: spec.f in body should be a multiple of 2'],
    [{ type: 'string', maxLength: 1 }, 'ab', 'Too long: may not be more than 1 bytes'],
    [{ type: 'string', minLength: 2 }, 'a', 'Invalid value: "a": spec.f in body should be at least 2 chars long'],
    [{ type: 'string', pattern: '^a$' }, 'b', 'Invalid value: "b": spec.f in body should match \'^a$\''],
    [{ type: 'string', enum: ['a', 'b'] }, 'c', 'Unsupported value: "c": supported values: "a", "b"'],
    [{ type: 'string', format: 'date-time' }, 'x', 'Invalid value: "x": spec.f in body must be of type date-time: "x"'],
    [{ type: 'array', items: { type: 'string' }, maxItems: 1 }, ['a', 'b'], 'Too many: 2: must have at most 1 items'],
    [
      { 'x-kubernetes-int-or-string': true },
      true,
      'Invalid value: "boolean": spec.f in body must be of type integer,string: "boolean"',
    ],
    [{ type: 'string' }, null, 'Invalid value: "null": spec.f in body must be of type string: "null"'],
    [{ type: 'object', minProperties: 1 }, {}, 'Invalid value: 0: spec.f in body should have at least 1 properties'],
  ])('%j refuses %j', (schema, value, text) => {
    expect(textsOf(fields({ f: schema }), { f: value })).toEqual([`spec.f: ${text}`]);
  });

  it.each<[SchemaProps, unknown]>([
    [{ type: 'string', nullable: true }, null],
    [{ type: 'number' }, 1],
    [{ 'x-kubernetes-int-or-string': true }, '50%'],
    [{ type: 'string', format: 'made-up' }, 'x'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, { a: 'b' }],
  ])('%j accepts %j', (schema, value) => {
    expect(textsOf(fields({ f: schema }), { f: value })).toEqual([]);
  });

  it('has the fields that are required', () => {
    expect(textsOf(fields({ a: { type: 'string' } }, { required: ['a'] }), {})).toEqual(['spec.a: Required value']);
  });

  it('fits the alternatives of the schema', () => {
    const alternatives = fields(
      { a: { type: 'string' }, b: { type: 'string' } },
      { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    );
    expect(textsOf(alternatives, { a: '1' })).toEqual([]);
    expect(textsOf(alternatives, { a: '1', b: '1' })).toEqual([
      '<nil>: Invalid value: "": "spec" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ]);
  });

  it('with a mistake of another kind than a wrong value tells that no rule was evaluated', () => {
    const ruled = { 'x-kubernetes-validations': [{ rule: 'false', message: 'no' }] };
    const schema = fields({ name: { type: 'string' }, size: { type: 'integer', maximum: 1 } }, ruled);
    expect(textsOf(schema, { size: 2 })).toEqual([
      'spec.size: Invalid value: 2: spec.size in body should be less than or equal to 1',
      'spec: Invalid value: no',
    ]);
    expect(textsOf(schema, { name: 1 })).toEqual([
      'spec.name: Invalid value: "integer": spec.name in body must be of type string: "integer"',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; ' +
        'correct the existing errors to complete validation',
    ]);
  });

  it('has no item of a set or of a map twice', () => {
    const set: SchemaProps = { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' };
    expect(textsOf(fields({ s: set }), { s: ['a', 'a'] })).toEqual(['spec.s[1]: Duplicate value: "a"']);
    const map: SchemaProps = {
      type: 'array',
      items: fields({ name: { type: 'string' } }),
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
    };
    expect(textsOf(fields({ m: map }), { m: [{ name: 'a' }, { name: 'a' }] })).toEqual([
      'spec.m[1]: Duplicate value: {"name":"a"}',
    ]);
  });
});

describe('rules in CEL', () => {
  const numbers = { min: { type: 'integer' }, max: { type: 'integer' }, name: { type: 'string' } } as const;
  const withRule = (rule: string, more: object = {}): SchemaProps =>
    fields(numbers, { 'x-kubernetes-validations': [{ rule, ...more }] });

  it.each<[string, unknown, string[]]>([
    ['self.min <= self.max', { min: 1, max: 2 }, []],
    ['self.min <= self.max', { min: 3, max: 2 }, ['spec: Invalid value: failed rule: self.min <= self.max']],
    ["has(self.name) && self.name.matches('^a')", { name: 'abc' }, []],
    ['self.min > 0', {}, ['spec: Invalid value: "object": no such key: min evaluating rule: self.min > 0']],
    [
      "self.min < 9 || self.name == 'a'",
      {},
      [`spec: Invalid value: "object": no such key: min evaluating rule: self.min < 9 || self.name == 'a'`],
    ],
    ['[1][2] > 0', {}, ['spec: Invalid value: "object": index out of bounds: 2 evaluating rule: [1][2] > 0']],
    ["self.min < 9 || 'a' == 'a'", {}, []],
    ["!(self.min < 9 && 'a' == 'b')", {}, []],
    ["quantity('1Gi').isGreaterThan(quantity('1Mi'))", {}, []],
    ["has({'l': [{'a': 1}]}.l[0].a) && !has([{'a': 1}][0].b)", {}, []],
    ['[3, 1, 2].max() == 3 && [1, 2].isSorted() && [1, 2].sum() == 3', {}, []],
  ])('%s', (rule, value, texts) => {
    expect(textsOf(withRule(rule), value)).toEqual(texts);
  });

  it('have messages, reasons and paths of their own', () => {
    const rule = withRule('self.min <= self.max', {
      messageExpression: "'min is ' + string(self.min)",
      reason: 'FieldValueForbidden',
      fieldPath: '.min',
    });
    expect(textsOf(rule, { min: 3, max: 2 })).toEqual(['spec.min: Forbidden: min is 3']);
  });

  it('may compare with the object before the change', () => {
    const rule = withRule('self.name == oldSelf.name', { message: 'name is immutable' });
    expect(textsOf(rule, { name: 'a' })).toEqual([]);
    expect(textsOf(rule, { name: 'b' }, { name: 'a' })).toEqual(['spec: Invalid value: name is immutable']);
  });
});

describe('the costs of rules', () => {
  const l: SchemaProps = { type: 'array', items: { type: 'string' } };
  const cubic = 'self.l.all(a, self.l.all(b, self.l.all(c, a != b + c)))';
  const ruled = (...rules: ValidationRule[]): SchemaProps => fields({ l }, { 'x-kubernetes-validations': rules });
  const texts = (count: number): { l: string[] } => ({ l: Array.from({ length: count }, (_, index) => `x${index}`) });

  it('have a limit for each', () => {
    expect(textsOf(ruled({ rule: cubic, message: 'no' }, { rule: 'false' }), texts(1000))).toEqual([
      'spec: Invalid value: "object": \'operation cancelled: actual cost limit exceeded\': no further validation ' +
        'rules will be run due to call cost exceeds limit for rule: no',
    ]);
  });

  it('have a limit for all rules of an object', () => {
    const rule = 'self.l.all(a, self.l.all(b, b != a + a))';
    const rules = Array.from({ length: 20 }, () => ({ rule }));
    expect(textsOf(ruled(...rules), texts(10))).toEqual([]);
    expect(textsOf(ruled(...rules), texts(330))).toEqual([
      'spec: Invalid value: "object": validation failed due to running out of cost budget, no further validation ' +
        'rules will be run',
    ]);
  });

  it('include the costs of messages', () => {
    const messageExpression = `${cubic} ? 'a' : 'b'`;
    expect(textsOf(ruled({ rule: 'false', messageExpression }, { rule: 'false' }), texts(1000))).toEqual([
      'spec: Invalid value: "object": no further validation rules will be run due to call cost exceeds limit for ' +
        `messageExpression: "${messageExpression}"`,
    ]);
  });

  it('do not grow with the number of rules: an object is converted once', () => {
    const rules = Array.from({ length: 2000 }, (_, index) => ({ rule: `self.l.size() > ${index - 10_000}` }));
    expect(textsOf(ruled(...rules), texts(20_000))).toEqual([]);
  });
});

describe('rules and patterns', () => {
  const rule = (text: string): SchemaProps => fields({}, { 'x-kubernetes-validations': [{ rule: text }] });

  it.each([
    "'a1b22'.findAll('[0-9]+') == ['1', '22'] && 'x'.matches('^[a-z]$') && 'aaa'.replace('a', 'b', 2) == 'bba'",
    "quantity('1Gi').add(quantity('1Gi')).compareTo(quantity('2Gi')) == 0 && quantity('-1').sign() == -1",
    "!quantity('1500m').isInteger() && quantity('3').sub(1).asInteger() == 2",
    "ip('127.0.0.1').isLoopback() && ip('::1').family() == 6 && !isIP('1.2.3') && ip('8.8.8.8').isGlobalUnicast()",
    "cidr('10.0.0.0/8').containsIP('10.1.2.3') && cidr('10.0.0.0/8').containsCIDR('10.1.0.0/16')",
    "string(cidr('fd12:3::/8').masked()) == 'fd00::/8' && !isCIDR('10.0.0.0/33')",
    "url('https://a.b:80/x?q=1').getHostname() == 'a.b' && url('https://a.b/x?q=1').getQuery()['q'] == ['1']",
    "!format.dns1123Label().validate('a-b').hasValue() && format.named('uuid').value().validate('x').hasValue()",
    'sets.contains([1, 2], [1]) && sets.equivalent([1, 2], [2, 1, 1]) && !sets.intersects([1], [3])',
    'lists.range(3) == [0, 1, 2] && [1, 2, 3, 4].slice(1, 3) == [2, 3] && [3, 1].reverse() == [1, 3]',
    '[1, [2, [3]]].flatten() == [1, 2, [3]] && [1, [2, [3]]].flatten(2) == [1, 2, 3] && [1, 2, 1].distinct() == [1, 2]',
    "[3, 1, 2].sort() == [1, 2, 3] && ['b', 'a'].sort() == ['a', 'b'] && ['a', 'b', 'a'].lastIndexOf('a') == 2",
    "[{'n': 2}, {'n': 1}].sortBy(e, e.n).map(e, e.n) == [1, 2]",
    "[4, 5].all(i, v, v == i + 4) && {'a': 1}.exists(k, v, k == 'a' && v == 1) && [1, 2].existsOne(i, v, v == 2)",
    '[1, 2].transformList(i, v, i + v) == [1, 3] && [1, 2].transformList(i, v, v > 1, i) == [1]',
    "{'a': 1}.transformMap(k, v, v + 1) == {'a': 2} && {'a': 'b'}.transformMapEntry(k, v, {v: k}) == {'b': 'a'}",
    '[[1], [2]].all(i, l, l.all(j, v, v == i + 1 && j == 0))',
    `[1]${'.transformList(i, v, v + i)'.repeat(14)} == [1]`,
    `optional.of(0)${'.optMap(v, v + 1)'.repeat(14)}.value() == 14`,
    '[2, 1].sortBy(e, e).transformList(i, v, [v].all(j, w, w > i)) == [true, true]',
    "'%s has %d of %.1f: %s %x %b%%'.format(['a', 3, 1.26, ['b', 2], 255, true]) == 'a has 3 of 1.3: [\"b\", 2] ff 1%'",
    "strings.quote('a') == '\"a\"' && '%e'.format([1500.0]) == '1.500000e+03'",
    "semver('1.2.3').isLessThan(semver('1.10.0')) && semver('1.0.0-rc.1').compareTo(semver('1.0.0')) == -1",
    'optional.of(1).optMap(v, v + 1).orValue(0) == 2 && !optional.none().optFlatMap(v, optional.of(v)).hasValue()',
    "optional.ofNonZeroValue(1).hasValue() && !optional.ofNonZeroValue('').hasValue() && matches('ab', '^a')",
    "int(timestamp('1970-01-01T00:00:01Z')) == 1 && string(timestamp(1)) == '1970-01-01T00:00:01Z' && int(1u) == 1",
    "string(duration('1h30m')) == '5400s' && int(duration(1)) == 1 && duration(duration('1s')) == duration('1000ms')",
    "isSemver('1.0.0') && !isSemver('v1.0') && isSemver('v1.0', true) && semver('01.2', true).minor() == 2",
  ])('have the functions of Kubernetes: %s', (text) => {
    expect(textsOf(rule(text), {})).toEqual([]);
    expect(textsOf(rule(`!(${text})`), {})).toHaveLength(1);
  });

  it('are about the entries of a map, and the items of a list', () => {
    const about: SchemaProps = fields(
      {
        m: { type: 'object', additionalProperties: { type: 'integer' } },
        l: { type: 'array', items: { type: 'string' } },
      },
      {
        'x-kubernetes-validations': [{ rule: "self.m.all(k, v, k == 'a' && v == 1) && self.l.exists(i, v, i == 1)" }],
      },
    );
    expect(textsOf(about, { m: { a: 1 }, l: ['x', 'y'] })).toEqual([]);
    expect(textsOf(about, { m: { a: 2 }, l: ['x', 'y'] })).toHaveLength(1);
    expect(textsOf(about, { m: { a: 1 }, l: ['x'] })).toHaveLength(1);
  });

  it('take no longer for a hostile pattern', () => {
    const text = `${'a'.repeat(2000)}!`;
    const hostile = '^(a+)+$';
    expect(textsOf(fields({ a: { type: 'string', pattern: hostile } }), { a: text })).toHaveLength(1);
    const own = fields(
      { a: { type: 'string' } },
      { 'x-kubernetes-validations': [{ rule: `self.a.matches('${hostile}')` }] },
    );
    expect(textsOf(own, { a: text })).toHaveLength(1);
  });
});
