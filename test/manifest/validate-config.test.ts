import { describe, expect, it } from 'vitest';
import { jsonObjectProblem } from '../../src/api/go/go-json.ts';
import { linesOf } from './objects.ts';

const MEBIBYTE = 1024 * 1024;

const config = (fields: object): string[] =>
  linesOf({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, ...fields });
const secret = (fields: object): string[] =>
  linesOf({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, ...fields });

describe('ConfigMaps', () => {
  it('hold a mebibyte, in bytes of text and of what base64 stands for', () => {
    const half = MEBIBYTE / 2;
    const binaryData = { b: Buffer.alloc(half).toString('base64') };
    expect(config({ data: { a: 'é'.repeat(half / 2) }, binaryData })).toEqual([]);
    expect(config({ data: { a: `${'é'.repeat(half / 2)}!` }, binaryData })).toEqual([
      '[]: Too long: may not be more than 1048576 bytes',
    ]);
  });

  it('have keys that can be file names', () => {
    expect(config({ binaryData: { '..a': '', '.': '' } })).toEqual([
      `binaryData[.]: Invalid value: ".": must not be '.'`,
      `binaryData[..a]: Invalid value: "..a": must not start with '..'`,
    ]);
  });
});

describe('Secrets', () => {
  const text = (type: string, stringData: object): string[] => secret({ type: `kubernetes.io/${type}`, stringData });

  it.each([
    { type: 'tls', data: { 'tls.crt': '', 'tls.key': '' } },
    { type: 'basic-auth', data: { username: '' } },
    { type: 'ssh-auth', data: { 'ssh-privatekey': 'k' } },
    { type: 'dockercfg', data: { '.dockercfg': '{}' } },
    { type: 'dockerconfigjson', data: { '.dockerconfigjson': ' null ' } },
    { type: 'anything', data: {} },
  ])('of type $type hold $data', ({ type, data }) => {
    expect(text(type, data)).toEqual([]);
  });

  it.each([
    { type: 'tls', data: {}, want: ['data[tls.crt]: Required value', 'data[tls.key]: Required value'] },
    { type: 'ssh-auth', data: { 'ssh-privatekey': '' }, want: ['data[ssh-privatekey]: Required value'] },
    { type: 'dockercfg', data: {}, want: ['data[.dockercfg]: Required value'] },
    {
      type: 'dockerconfigjson',
      data: { '.dockerconfigjson': '[]' },
      want: [
        'data[.dockerconfigjson]: Invalid value: "<secret contents redacted>": ' +
          'json: cannot unmarshal array into Go value of type map[string]interface {}',
      ],
    },
  ])('of type $type do not hold $data', ({ type, data, want }) => {
    expect(text(type, data)).toEqual(want);
  });

  it('hold a mebibyte', () => {
    expect(secret({ stringData: { a: 'x'.repeat(MEBIBYTE) } })).toEqual([]);
    expect(secret({ stringData: { a: 'x'.repeat(MEBIBYTE + 1) } })).toEqual([
      'data: Too long: may not be more than 1048576 bytes',
    ]);
  });
});

describe('jsonObjectProblem() says what Go says', () => {
  it.each([
    { text: '{"a": [1, -0.5e+3, true, false, null, "\\u00e9\\n"], "b": {}}', problem: undefined },
    { text: '', problem: 'unexpected end of JSON input' },
    { text: '{"a":', problem: 'unexpected end of JSON input' },
    { text: '"open', problem: 'unexpected end of JSON input' },
    { text: 'nope', problem: "invalid character 'o' in literal null (expecting 'u')" },
    { text: '{} x', problem: "invalid character 'x' after top-level value" },
    { text: "{'a': 1}", problem: "invalid character '\\'' looking for beginning of object key string" },
    { text: '{"a" 1}', problem: "invalid character '1' after object key" },
    { text: '{"a":1 "b"}', problem: "invalid character '\"' after object key:value pair" },
    { text: '[1 2]', problem: "invalid character '2' after array element" },
    { text: '[,]', problem: "invalid character ',' looking for beginning of value" },
    { text: '"\\x"', problem: "invalid character 'x' in string escape code" },
    { text: '"\\u00g0"', problem: "invalid character 'g' in \\u hexadecimal character escape" },
    { text: '"a\nb"', problem: "invalid character '\\n' in string literal" },
    { text: '-x', problem: "invalid character 'x' in numeric literal" },
    { text: '1.x', problem: "invalid character 'x' after decimal point in numeric literal" },
    { text: '1ex', problem: "invalid character 'x' in exponent of numeric literal" },
    { text: '01', problem: "invalid character '1' after top-level value" },
    { text: 'true', problem: 'json: cannot unmarshal bool into Go value of type map[string]interface {}' },
    { text: '1', problem: 'json: cannot unmarshal number into Go value of type map[string]interface {}' },
    { text: '"a"', problem: 'json: cannot unmarshal string into Go value of type map[string]interface {}' },
  ])('of $text', ({ text, problem }) => {
    expect(jsonObjectProblem(text)).toBe(problem);
  });

  it('also of a text with endless nesting', () => {
    expect(jsonObjectProblem('{"a":'.repeat(1e6))).toBe('exceeded max depth');
  });
});
