import { beforeAll, describe, expect, it } from 'vitest';
import { formatFieldError } from '../../../src/manifest/base/field-error.ts';
import { checkExpression } from '../../../src/apiserver/custom/cel/check/check-expression.ts';
import { schemaType } from '../../../src/apiserver/custom/cel/check/schema-types.ts';
import { newEnvironment, parseExpression } from '../../../src/apiserver/custom/cel/environment.ts';
import { evaluate } from '../../../src/apiserver/custom/cel/running-cost.ts';
import { checkSchemaRules } from '../../../src/apiserver/custom/definition/check-rules.ts';
import { loadPatterns } from '../../../src/apiserver/custom/base/patterns.ts';
import type { SchemaProps, ValidationRule } from '../../../src/apiserver/custom/base/schema.ts';

beforeAll(loadPatterns);

const environment = newEnvironment(['self', 'oldSelf']);

function estimateOf(schema: SchemaProps, rule: string): number | string {
  const type = schemaType(schema, false)!;
  const variables = new Map([
    ['self', type],
    ['oldSelf', type],
  ]);
  const checked = checkExpression(environment, rule, variables);
  return 'error' in checked ? checked.error : checked.cost;
}

const text = (maxLength?: number, more: SchemaProps = {}): SchemaProps => ({
  type: 'string',
  ...(maxLength !== undefined && { maxLength }),
  ...more,
});
const list = (items: SchemaProps, maxItems?: number): SchemaProps => ({
  type: 'array',
  items,
  ...(maxItems !== undefined && { maxItems }),
});
const map = (additionalProperties: SchemaProps, maxProperties?: number): SchemaProps => ({
  type: 'object',
  additionalProperties,
  ...(maxProperties !== undefined && { maxProperties }),
});
const fields = (properties: Record<string, SchemaProps>, required: string[] = []): SchemaProps => ({
  type: 'object',
  properties,
  required,
});
const NUMBER: SchemaProps = { type: 'number' };
const NEEDED = fields({ required: text(), optional: text() }, ['required']);

describe('the estimated cost of a rule', () => {
  // The numbers are those of Kubernetes for the same schema and rule.
  it.each<[string, SchemaProps, number]>([
    ['self.all(i, true)', list(NUMBER), 4_718_591],
    ['self.all(i, true)', list(NUMBER, 10), 32],
    ['self.all(i, true)', list(text()), 3_145_727],
    ['self.all(i, true)', list({ type: 'boolean' }), 1_887_437],
    ['self.all(i, true)', list(NEEDED), 555_128],
    ['self.all(i, true)', list(text(undefined, { format: 'duration' })), 2_359_295],
    ['self.all(i, true)', list(text(undefined, { format: 'date' })), 725_936],
    ['self.all(i, true)', list(text(undefined, { format: 'date-time' })), 428_963],
    ['self.all(i, true)', list({ 'x-kubernetes-int-or-string': true }), 4_718_591],
    ['self.all(k, true)', map(NUMBER), 1_348_169],
    ['self.all(k, true)', map(text()), 1_179_647],
    ['self.all(k, k.contains(self[k]))', map(text()), 2_752_507],
    ['self.all(i, self.all(j, self.all(k, true)))', list(NUMBER, 10), 3552],
    ['self.all(i, i["y"].required == "z")', list(map(NEEDED)), 7_340_027],
    ['self.all(i, i.y == 25.2)', list(map(NUMBER)), 6_291_452],
    ["self.contains('test')", text(), 314_574],
    ["self.contains('test')", text(10), 5],
    ["self.contains('A')", text(undefined, { enum: ['A', 'LongValue'] }), 2],
    ["self.startsWith('test')", text(), 2],
    ['self[1] == self[1]', list(text()), 314_577],
    ['self[0] == 5', list({ 'x-kubernetes-int-or-string': true }), 3],
    ['self[0][0] == -1.0', list(list(NUMBER)), 3],
    ['size(self + "hello") > size("hello")', text(), 314_578],
    ['self.matches("x")', text(50), 22],
    [`self.find('[0-9]+') == ''`, text(), 629_147],
    [`self.join(' ') == 'aa bb'`, list(text()), 329_853_068_905],
    ['self.isSorted() == true', list(text(10), 10), 52],
    [`self.lowerAscii() == 'lower!'`, text(), 314_575],
    ['self["a"] == self["b"]', map(text(undefined, { format: 'date-time' })), 8],
    ['!format.dns1123Label().validate(self.s).hasValue()', fields({ s: text() }), 10_066_341],
    ['oldSelf.size() == self.size()', map(NUMBER), 5],
  ])('%s for %j', (rule, schema, cost) => {
    expect(estimateOf(schema, rule)).toBe(cost);
  });

  it('knows how large a result may be', () => {
    const schema = fields({ text: text(), before: text(2), after: text(4), separator: text() });
    expect(estimateOf(schema, "self.text.replace(self.before, self.after) == 'does not matter'")).toBe(629_154);
    expect(estimateOf(schema, 'self.text.split(self.separator) == []')).toBe(629_160);
    expect(estimateOf(fields({ n: { type: 'integer' } }), "'n is ' + string(self.n) == ''")).toBe(Infinity);
  });
});

describe('the types of a rule', () => {
  const schema = fields({
    n: { type: 'integer' },
    s: text(),
    l: list(text()),
    m: map(text()),
    o: NEEDED,
    objects: list(NEEDED, 4),
  });

  it.each([
    ['self.nosuch == 1', "1:5: undefined field 'nosuch'"],
    ["self.n == 'a'", "1:8: found no matching overload for '_==_' applied to '(int, string)'"],
    ['foo(self.n)', "1:4: undeclared reference to 'foo' (in container '')"],
    ['nosuch', "1:1: undeclared reference to 'nosuch' (in container '')"],
    ['self.s.startsWith(1)', "1:18: found no matching overload for 'startsWith' applied to 'string.(int)'"],
    ["self.l['a'] == 'b'", "1:7: found no matching overload for '_[_]' applied to '(list(string), string)'"],
    ['1 in self.l', "1:3: found no matching overload for '@in' applied to '(int, list(string))'"],
    ['self.l.exists(i, i == 1)', "1:20: found no matching overload for '_==_' applied to '(string, int)'"],
    ['self.s == null', "1:8: found no matching overload for '_==_' applied to '(string, null)'"],
    ['has(self.objects[0].nope)', "1:4: undefined field 'nope'"],
    ['has(self.l[0])', '1:11: invalid argument to has() macro'],
    [
      'self.n.all(i, true)',
      "1:5: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
    ],
  ])('%s', (rule, mistake) => {
    expect(estimateOf(schema, rule)).toContain(`ERROR: <input>:${mistake}\n | ${rule}\n | `);
  });

  it('are looked at once in the test of a field', () => {
    const rule = 'has(self.nope.more)';
    expect(estimateOf(schema, rule)).toBe(`ERROR: <input>:1:9: undefined field 'nope'\n | ${rule}\n | ........^`);
  });

  it('are reported with the line and the column of each mistake', () => {
    expect(estimateOf(schema, 'self.a == 1 &&\n  self.b == 2')).toBe(
      "ERROR: <input>:1:5: undefined field 'a'\n | self.a == 1 &&\n | ....^\n" +
        "ERROR: <input>:2:7: undefined field 'b'\n |   self.b == 2\n | ......^",
    );
  });

  // Rules of the shapes that public definitions have.
  it.each([
    'has(self.objects[0].optional)',
    "self.objects.exists(e, e.required == 'a') ? has(self.objects[0].optional) : true",
    'self.objects.all(a, self.objects.exists_one(b, a.required == b.required))',
    "self.m.all(k, v, k == v) && 'a' in self.m && self.m['a'] == 'b'",
    "self.?s.orValue('') == 'a' && optional.of(self.n).optMap(v, v + 1).hasValue()",
    "duration('1h') < duration('2h') && timestamp('2020-01-01T00:00:00Z') - duration('1h') < timestamp(1)",
    'cel.bind(x, self.s, x.size() < 3) && self.o == oldSelf.o && self.o != null && type(self.n) == int',
    "quantity(self.s).isGreaterThan(quantity('1')) && ip('1.2.3.4').family() == 4 && sets.contains(self.l, ['a'])",
    "self.l.map(e, e.size()).sum() < 10 && self.l.filter(e, e != '').size() == 1 && 1 < 2.0 && -self.n < 1",
    "'%s has %d'.format(['a', 1]) == 'x' && {'a': 1}.a == 1",
  ])('of a good rule fit: %s', (rule) => {
    const cost = estimateOf(schema, rule.replace('self.s[?0].hasValue() == false || true', 'true'));
    expect(cost).toEqual(expect.any(Number));
  });
});

describe('the rules of a schema', () => {
  const HINT =
    'x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings ' +
    'are declared)';
  const mistakes = (schema: SchemaProps): string[] => checkSchemaRules(schema, 'at').map(formatFieldError);
  const ruled = (schema: SchemaProps, ...rules: ValidationRule[]): SchemaProps => ({
    ...schema,
    'x-kubernetes-validations': rules,
  });

  it('may not cost too much, one by one and together', () => {
    const rule = 'self.all(a, self.all(b, a == b))';
    expect(mistakes(ruled(fields({ l: ruled(list(text()), { rule }) })))).toEqual([
      'at.properties[l].x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor ' +
        `of more than 100${HINT}`,
      'at.properties[l].x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total ' +
        'exceeding cost limit for entire OpenAPIv3 schema',
      'at: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget ' +
        `by factor of more than 100${HINT}`,
    ]);
    expect(mistakes(fields({ l: ruled(list(text(10), 100), { rule }) }))).toEqual([]);
  });

  it('tell by which factor they cost too much', () => {
    const rule = '!format.dns1123Label().validate(self.s).hasValue()';
    const at = 'at.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of';
    expect(mistakes(ruled(fields({ s: text() }), { rule }))).toEqual([`${at} 1.006634${HINT}`]);
    const twice = `${rule} && ${rule}`;
    expect(mistakes(ruled(fields({ s: text() }), { rule: twice }))).toEqual([`${at} 2.0${HINT}`]);
  });

  it('cost as often as an object may have them', () => {
    const item = ruled(fields({ s: text(1000) }), { rule: "self.s.contains('abc')" });
    expect(mistakes(fields({ l: list(item, 100) }))).toEqual([]);
    expect(mistakes(fields({ l: list(list(item, 1000), 1000) }))).toHaveLength(3);
    expect(mistakes(fields({ l: list(item) }))).toHaveLength(3);
  });

  it('count with their messages', () => {
    const rule = { rule: 'self.n > 0', messageExpression: "'n is ' + string(self.n)" };
    expect(mistakes(ruled(fields({ n: { type: 'integer' } }), rule))[0]).toBe(
      'at.x-kubernetes-validations[0].messageExpression: Forbidden: estimated messageExpression cost exceeds budget ' +
        `by factor of more than 100${HINT}`,
    );
  });

  it('are shown as the API server shows them', () => {
    expect(mistakes(ruled(fields({ n: { type: 'integer' } }), { rule: 'self.n + 1' }))).toEqual([
      'at.x-kubernetes-validations[0].rule: Invalid value: {"Rule":"self.n + 1","Message":"","MessageExpression":"",' +
        '"Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool',
    ]);
  });

  it('may look at a value before only where it is known which one that was', () => {
    const item = ruled(fields({ s: text(10) }), { rule: 'self.s == oldSelf.s' });
    expect(mistakes(fields({ l: list(item, 2) }))).toEqual([
      'at.properties[l].items.x-kubernetes-validations[0].rule: Invalid value: "self.s == oldSelf.s": oldSelf cannot ' +
        'be used on the uncorrelatable portion of the schema within at.properties[l]',
    ]);
    const keys: SchemaProps = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['s'] };
    expect(mistakes(fields({ l: { ...list(item, 2), ...keys } }))).toEqual([]);
  });
});

describe('the cost of an evaluation', () => {
  const costOf = (rule: string, self: unknown): ReturnType<typeof evaluate> =>
    evaluate(parseExpression(environment, rule).run, { self });

  // The numbers are those of Kubernetes for the same rule and value.
  it.each<[string, unknown, number]>([
    ['self.a == self.b', { a: 1n, b: 1n }, 5],
    ["self.a.replace(' ', 'x') == 'Rookxtakes'", { a: 'Rook takes' }, 5],
    ['1 in self.l', { l: [1n, 2n, 3n] }, 5],
    ['self.l + self.l == [1, 2, 3, 1, 2, 3]', { l: [1n, 2n, 3n] }, 6],
    ['!has(self.m.a)', { m: { b: 1n } }, 3],
    ['has(self.l[0].a)', { l: [{ a: 1n }] }, 3],
    ["self.l.all(e, e.k.startsWith('a'))", { l: [{ k: 'a1' }, { k: 'a2' }, { k: 'a3' }] }, 21],
    ['self.l.all(e, e > 0)', { l: [1n, 1n, 2n, 2n, 3n, 3n, 4n, 5n] }, 43],
    ['!self.l.exists(e, e < 0)', { l: [1n, 1n, 2n, 2n, 3n, 3n, 4n, 5n] }, 52],
    ['size(self.l.filter(e, e % 2 == 0)) == 3', { l: [1n, 1n, 2n, 2n, 3n, 3n, 4n, 5n] }, 68],
  ])('%s', (rule, self, cost) => {
    expect(costOf(rule, self)).toEqual({ value: true, cost });
  });

  const texts = (count: number): string[] => Array.from({ length: count }, (_, index) => `text ${index}`);

  it.each<[string, unknown]>([
    ['loops in loops', ['self.all(a, self.all(b, self.all(c, a != b + c)))', texts(1000)]],
    ['a loop whose turns fail', ['self.exists(a, self.exists(b, a.nosuch == b))', texts(2000).map((t) => ({ t }))]],
    ['a loop over the largest list', ['self.all(a, a < 5)', Array.from({ length: 1_500_000 }, () => 1n)]],
    ['equal lists', ['self.all(a, self == self.map(b, b))', texts(2000)]],
    ['a list that grows', [`cel.bind(b, ${'self + '.repeat(50)}self, ${'b + '.repeat(50)}b).size() > 1`, texts(5000)]],
    ['a long text and a pattern', ["self.matches('^(a+)+$')", 'a'.repeat(3_000_000)]],
    ['each item with each', ['self.distinct().size() > 1', texts(2000)]],
    ['a list that is searched for each of its items', ['self.all(a, a in self)', texts(20_000)]],
  ])('has a limit: %s', (_, given) => {
    const [rule, self] = given as [string, unknown];
    const { error, cost } = costOf(rule, self);
    expect(String(error)).toBe('Error: operation cancelled: actual cost limit exceeded');
    expect(cost).toBeGreaterThan(1_000_000);
  });

  it('does not depend on a text that is no duration: the package took a time that grew with its length squared', () => {
    const { error } = costOf("duration(self) > duration('1s')", '1'.repeat(3_000_000));
    expect(String(error)).toContain('invalid duration');
    expect(costOf("duration('1h30m1.5s') == duration('5401500ms') && duration('-1s') < duration('0')", 0n).value).toBe(
      true,
    );
  });
});
