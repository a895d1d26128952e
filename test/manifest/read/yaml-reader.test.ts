import { describe, expect, it } from 'vitest';
import { nodeValue, SourceError, SourceText } from '../../../src/manifest/read/source-node.ts';
import { readYaml } from '../../../src/manifest/read/yaml-reader.ts';

const valueOf = (text: string): unknown => nodeValue(readYaml(new SourceText(text, 1)));

function refusal(text: string): string {
  const source = new SourceText(text, 1);
  try {
    readYaml(source);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const { line, column } = source.positionAt(error.offset);
    const message = error.message.replace('error converting YAML to JSON: ', '').replace(/^yaml: (line \d+: )?/, '');
    return `${line}:${column} ${message}${error.hint === undefined ? '' : ` - ${error.hint}`}`;
  }
  return 'accepted';
}

describe('YAML', () => {
  it.each([
    ['nothing', '', null],
    ['only a comment', '# nothing\n', null],
    ['a document that ends', 'a: 1\n...\n# done\n', { a: 1 }],
    ['keys that are no text', '{1: a, yes: b, 1.5: c, 0x10: d}', { '1': 'a', true: 'b', '1.5': 'c', '16': 'd' }],
    ['quoted numbers', `{a: "1", b: '2'}`, { a: '1', b: '2' }],
    ['tags', '{a: !!str 1, b: !!int "2", c: ! 3, d: !foo 4}', { a: '1', b: 2, c: 3, d: '4' }],
    ['aliases', 'a: &x [1]\nb: *x\nc: {d: *x}\n', { a: [1], b: [1], c: { d: [1] } }],
    ['an anchor that is used again', 'a: &x 1\nb: &x 2\nc: *x\n', { a: 1, b: 2, c: 2 }],
    ['aliases as keys', 'a: &x k\n*x : 1\n', { a: 'k', k: 1 }],
    ['a value that is not there', 'a:\nb: ""\n', { a: null, b: '' }],
    ['literal blocks', 'a: |\n  x\n   y\n\n\nb: |-\n  x\nc: |+\n  x\n\n', { a: 'x\n y\n', b: 'x', c: 'x\n\n' }],
    ['folded blocks', 'a: >\n  x\n  y\n\n  z\n', { a: 'x y\nz\n' }],
    ['a block at the end of the text', 'a: |\n  x\n  y', { a: 'x\ny' }],
    ['single quotes', `a: 'it''s\n  here'\n`, { a: "it's here" }],
    ['a comment right behind a quote', 'a: "b"#c\n', { a: 'b' }],
    ['pairs in lists', '[a: 1, b]', [{ a: 1 }, 'b']],
  ])('reads %s', (_name, text, value) => {
    expect(valueOf(text)).toEqual(value);
  });

  it.each([
    ['a bracket that closes at the margin', 'a:\n  b: [\n1,\n2\n]\n'],
    ['items that hang out', 'a:\n    b: [1,\n  2]\n'],
    ['words that hang out', 'a:\n    b: [1, 2\n]\n'],
  ])('does not look at indentation inside brackets: %s', (_name, text) => {
    expect(valueOf(text)).toEqual({ a: { b: [1, 2] } });
  });

  it('does not look at indentation inside quotes', () => {
    expect(valueOf('a:\n  b: "x\ny"\n  c: \'x\ny\'\n')).toEqual({ a: { b: 'x y', c: 'x y' } });
  });

  it.each([
    [String.raw`"\'\"\\\/"`.replace('\\/', ''), `'"\\`],
    [String.raw`"\0\a\b\t\n\v\f\r\e\ \N\_\L\P"`, '\0\u0007\b\t\n\v\f\r\u001b \u0085\u00a0\u2028\u2029'],
    [String.raw`"\x41\u00e9\U0001F600 41"`, 'Aé😀 41'],
    ['"a\\\n   b"', 'ab'],
    ['"a\\\n   \\  b"', 'a  b'],
    ['"a\\n\\\n\n  b"', 'a\n\nb'],
    ['"a\\t \n  b"', 'a\t b'],
    ['"a\\t\n\n\n  b"', 'a\t\n\nb'],
  ])('reads the escapes of %j', (text, value) => {
    expect(valueOf(`a: ${text}`)).toEqual({ a: value });
  });

  it.each([
    ['explicit keys win', 'a: &a {p: 1, q: 2}\nb: {q: 3, <<: *a}\n', { p: 1, q: 3 }],
    ['the earlier map wins', 'a: &a {x: 1}\nb: {<<: [*a, {x: 2, z: 3}]}\n', { x: 1, z: 3 }],
    ['merged maps merge', 'a: &a {x: 1}\nc: &c {<<: *a, z: 2}\nb: {<<: *c}\n', { x: 1, z: 2 }],
    ['two merge keys', 'a: &a {x: 1}\nb: {<<: *a, <<: {z: 2, x: 3}}\n', { x: 1, z: 2 }],
    ['a quoted key merges nothing', 'a: 1\nb: {"<<": 2}\n', { '<<': 2 }],
    ['as a value it is text', 'a: 1\nb: <<\n', '<<'],
  ])('merges: %s', (_name, text, value) => {
    expect(valueOf(text)).toMatchObject({ b: value });
  });

  it.each([
    ['{a: b', "1:1 did not find expected ',' or '}' - close the bracket"],
    ['a: [1, 2\nb: 3\n', "1:4 did not find expected ',' or ']' - close the bracket"],
    ['a: b: c\n', '1:4 mapping values are not allowed in this context'],
    ['a: @b\n', '1:4 found character that cannot start any token - quote the text'],
    ['a: *\n', '1:4 did not find expected alphabetic or numeric character - quote the text'],
    ['a: "b\n', '1:6 found unexpected end of stream - close the quote'],
    ['a:\n\tb: 1\n', '2:1 found a tab character that violates indentation - tab used for indentation, use blanks'],
    ['a: 1\n b: 2\n', '2:3 mapping values are not allowed in this context'],
    ['a: 1\nb\n', "2:1 could not find expected ':'"],
    ['a:\n  - 1\n - 2\n', '3:1 block sequence entries are not allowed in this context'],
    [String.raw`a: "\/"`, '1:5 found unknown escape character'],
    [String.raw`a: "\ud83d\ude00"`, '1:5 found invalid Unicode character escape code'],
    [String.raw`a: "\xg0"`, '1:5 did not find expected hexdecimal number'],
    ['{a\nb: 1}', "1:2 could not find expected ':' - a key stands on one line"],
    ['[1]: 2\n', '1:1 invalid map key: a list cannot be a key'],
    ['~: 2\n', '1:1 unsupported map key of type: %!s(<nil>), key: <nil> - quote the key'],
    ['a: *b\n', "1:4 unknown anchor 'b' referenced"],
    ['a: *b\nb: &b 1\n', "1:4 unknown anchor 'b' referenced"],
    ['a: &a [*a]\n', "1:8 anchor 'a' value contains itself"],
    ['a: {<<: 5}\n', '1:5 map merge requires map or sequence of maps as the value'],
    ['a: &a [{}]\nb: {<<: *a}\n', '2:5 map merge requires map or sequence of maps as the value'],
    ['a: .inf\n', '1:4 json: unsupported value: +Inf'],
    ['a: !!int b\n', '1:10 cannot decode !!str `b` as a !!int'],
    ['%YAML 1.2\n', '1:1 found incompatible YAML document - leave directives out'],
    ['# x\n%TAG ! x\n', '2:1 did not find expected <document start> - leave directives out'],
    ['a: 1\n...\nb: 2\n', '3:1 content after the end of the document - start a new one with ---'],
    ['a: \u0007\n', '1:4 control characters are not allowed'],
  ])('refuses %j', (text, message) => {
    expect(refusal(text)).toBe(message);
  });
});
