import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readEnvFile } from '../../../src/lifecycle/environment/environment-file.ts';

describe('readEnvFile()', () => {
  it.each([
    { name: 'reads a quoted value', text: "A='1'\nB='2'\n", key: 'B', want: '2' },
    { name: 'keeps a value literal', text: 'A=\'$HOME \\n "x" # no\'\n', key: 'A', want: '$HOME \\n "x" # no' },
    { name: 'reads a value over several lines', text: "A='1\n 2\n\n3'\nB='x'\n", key: 'A', want: '1\n 2\n\n3' },
    { name: 'continues behind a value over several lines', text: "A='1\nB='\nB='x'\n", key: 'B', want: 'x' },
    {
      name: 'ignores blank lines, comments and blanks before a name',
      text: "\n# c\n \t\n  A='1'",
      key: 'A',
      want: '1',
    },
    { name: 'allows a comment behind a value', text: "A='1' # one\nB='2'#two\n", key: 'B', want: '2' },
    { name: 'takes the first of two', text: "A='1'\nA='2'\n", key: 'A', want: '1' },
    { name: 'reads line ends of Windows', text: "A='1\r\n2'\r\nB='3'\r\n", key: 'A', want: '1\n2' },
    { name: 'takes blanks behind the equals sign for the end', text: "A= 'x'\nB='2'\n", key: 'A', want: '' },
    { name: 'does not look behind the key', text: "A='1'\nbroken\n", key: 'A', want: '1' },
    { name: 'knows nothing of a key that is not there', text: "A='1'\n", key: 'B', want: '' },
    { name: 'finds nothing in an empty file', text: '', key: 'A', want: '' },
  ])('$name', ({ text, key, want }) => {
    expect(readEnvFile(text, key)).toEqual({ ok: true, value: want });
  });

  it.each([
    { name: 'a line without an equals sign', text: "A\nB='1'\n" },
    { name: 'a line without a name', text: "='1'\n" },
    { name: 'a blank before the equals sign', text: "A ='1'\n" },
    { name: 'a value without quotes', text: 'A=1\n' },
    { name: 'a value in double quotes', text: 'A="1"\n' },
    { name: 'no value', text: 'A=\n' },
    { name: 'a quote that is not closed', text: "A='1\n2\n" },
    { name: 'text behind the closing quote', text: "A='1'2\n" },
  ])('refuses $name', ({ text }) => {
    expect(readEnvFile(text, 'KEY')).toEqual({ ok: false });
  });

  it('reads back whatever was written in single quotes', () => {
    const value = fc.string({ unit: fc.constantFrom('a', ' ', '\n', '"', '=', '#', '$') });
    fc.assert(
      fc.property(value, value, (first, second) => {
        const outcome = readEnvFile(`FIRST='${first}' # note\nSECOND='${second}'\n`, 'SECOND');
        expect(outcome).toEqual({ ok: true, value: second });
      }),
    );
  });
});
