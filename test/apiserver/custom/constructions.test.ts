import { describe, expect, it } from 'vitest';
import {
  admissionEnvironment,
  bindingsOf,
  CostBudget,
  evaluateExpression,
} from '../../../src/apiserver/admission/expressions.ts';
import { checkExpression } from '../../../src/apiserver/custom/cel/check/check-expression.ts';
import { DYN } from '../../../src/apiserver/custom/cel/check/types.ts';
import { checkConstructedTypes, constructedType, jsonOfCel } from '../../../src/apiserver/custom/cel/constructed.ts';
import { requestOf } from '../admission/request-of.ts';

const SCOPE = new Map([['object', DYN]]);
const evaluated = (text: string): unknown => evaluateExpression(text, bindingsOf(requestOf()), CostBudget.ofPolicy());

describe('an expression that constructs objects', () => {
  it.each([
    ['Object{}', 'Object', {}],
    ['Object{spec: Object.spec{replicas: 1}}', 'Object', { spec: { replicas: 1 } }],
    ['Object { metadata : Object.metadata{ labels: {"a": "b{"} } }', 'Object', { metadata: { labels: { a: 'b{' } } }],
    ['Object{a: r\'x}\', b: """}"""} // {', 'Object', { a: 'x}', b: '}' }],
    ['Object{?a: optional.of(1), ?b: optional.none()}', 'Object', { a: 1 }],
    [
      '"web" in {"web": 1} ? Object{a: [dyn(1), dyn(2.5), dyn(null), dyn(true)]} : Object{}',
      'Object',
      { a: [1, 2.5, null, true] },
    ],
    [
      '[JSONPatch{op: "add", path: "/metadata/labels/" + jsonpatch.escapeKey("a/b~c"), value: Object{x: 1}}]',
      'list(JSONPatch)',
      [{ op: 'add', path: '/metadata/labels/a~1b~0c', value: { x: 1 } }],
    ],
    [
      'object.metadata.labels.map(k, JSONPatch{op: "remove", path: "/" + k})',
      'list(JSONPatch)',
      [{ op: 'remove', path: '/app' }],
    ],
  ])('%s', (text, type, value) => {
    expect(checkExpression(admissionEnvironment(), text, SCOPE, true)).toMatchObject({ type: { name: type } });
    expect(jsonOfCel(evaluated(text))).toEqual(value);
  });

  it.each([
    ['Foo{}', "ERROR: <input>:1:4: undeclared reference to 'Foo' (in container '')\n | Foo{}\n | ...^"],
    [
      'JSONPatch{op: 1}',
      "ERROR: <input>:1:15: expected type of field 'op' is 'string' but provided type is 'int'\n" +
        ' | JSONPatch{op: 1}\n | ..............^',
    ],
    ['JSONPatch{no: 1}', "ERROR: <input>:1:11: undefined field 'no'\n | JSONPatch{no: 1}\n | ..........^"],
    [
      'Object{a: 1,\n b: nope}',
      "ERROR: <input>:2:5: undeclared reference to 'nope' (in container '')\n |  b: nope}\n | ....^",
    ],
  ])('is refused: %s', (text, error) => {
    expect(checkExpression(admissionEnvironment(), text, SCOPE, true)).toEqual({ error });
  });

  it('may only be one of a mutation', () => {
    expect(checkExpression(admissionEnvironment(), 'Object{}', SCOPE)).toHaveProperty('error');
  });

  it('has objects of the type of their place', () => {
    const right = evaluated('Object{spec: Object.spec{a: [Object.spec.a{}]}}');
    expect(constructedType(right)).toBe('Object');
    checkConstructedTypes(right, 'Object');
    expect(() => checkConstructedTypes(evaluated('Object{spec: Object.wrong{}}'), 'Object')).toThrow(
      'type mismatch: unexpected type name "Object.wrong", expected "Object.spec", ' +
        'which matches field name path from root Object type',
    );
  });
});

it('names of fields are as in JSON', () => {
  const labels = { 'app.kubernetes.io/name': 'web' };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web', namespace: 'default', labels } };
  const bindings = bindingsOf(requestOf({ object }));
  const text = "object.metadata.namespace + object.metadata.labels['app.kubernetes.io/name']";
  expect(evaluateExpression(text, bindings, CostBudget.ofPolicy())).toBe('defaultweb');
});
