import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeExpansion, expand, EXPANDED_MAX } from '../../../src/lifecycle/environment/expansion.ts';

const variables: ReadonlyMap<string, string> = new Map([
  ['A', 'a'],
  ['B', '$(A)'],
  ['EMPTY', ''],
  ['DOLLARS', "$$ $& $1 $'"],
]);
const lookup = (name: string): string | undefined => variables.get(name);

/** Text whose characters all matter to the syntax. */
const syntax = fc.string({ unit: fc.constantFrom('$', '(', ')', 'A', 'B', '{', ' ', 'é') });

/** The scanner of the Kubernetes sources, byte for byte, as the reference. */
function scan(text: string): string {
  let out = '';
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] !== '$' || at + 1 === text.length) {
      out += text[at];
      continue;
    }
    const next = text[at + 1];
    const close = text.indexOf(')', at + 2);
    if (next === '$') {
      out += '$';
      at += 1;
    } else if (next === '(' && close !== -1) {
      const name = text.slice(at + 2, close);
      out += lookup(name) ?? `$(${name})`;
      at = close;
    } else {
      out += `$${next}`;
      at += 1;
    }
  }
  return out;
}

describe('expand()', () => {
  it.each([
    { name: 'replaces a defined variable', text: '<$(A)>', want: '<a>' },
    { name: 'does not expand a value again', text: '$(B)', want: '$(A)' },
    { name: 'takes a value with dollars unchanged', text: '$(DOLLARS)', want: "$$ $& $1 $'" },
    { name: 'keeps a reference to an unknown variable', text: '$(NOPE)', want: '$(NOPE)' },
    { name: 'replaces an empty variable by nothing', text: '[$(EMPTY)]', want: '[]' },
    { name: 'turns two dollars into one', text: '$$', want: '$' },
    { name: 'lets two dollars escape a reference', text: '$$(A)', want: '$(A)' },
    { name: 'reads three dollars as an escape and a reference', text: '$$$(A)', want: '$a' },
    { name: 'reads four dollars as two escapes', text: '$$$$(A)', want: '$$(A)' },
    { name: 'leaves shell syntax alone', text: '$A ${A} $? $1', want: '$A ${A} $? $1' },
    { name: 'leaves a dollar at the end alone', text: 'x$', want: 'x$' },
    { name: 'leaves a reference that is not closed alone', text: '$(A', want: '$(A' },
    { name: 'still sees escapes behind a reference that is not closed', text: '$(A $$', want: '$(A $' },
    { name: 'ends a name at the first parenthesis', text: '$(A$(B))', want: '$(A$(B))' },
    { name: 'knows no variable without a name', text: '$()', want: '$()' },
    { name: 'expands several references', text: '$(A)-$(A)$(EMPTY)', want: 'a-a' },
  ])('$name', ({ text, want }) => {
    expect(expand(text, lookup)).toBe(want);
  });

  it('agrees with the scanner of Kubernetes', () => {
    fc.assert(
      fc.property(syntax, (text) => {
        expect(expand(text, lookup)).toBe(scan(text));
      }),
    );
  });

  it('leaves text without a dollar alone', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const plain = text.replaceAll('$', '');
        expect(expand(plain, lookup)).toBe(plain);
      }),
    );
  });

  it('ends where references expand to more than any program can be started with', () => {
    let value = 'x'.repeat(100);
    const double = (): string => (value = expand('$(E)$(E)$(E)$(E)', () => value));
    expect(() => {
      for (let step = 0; step < 100; step++) double();
    }).toThrow('expand to more than 8 MiB');
    expect(value.length).toBeLessThanOrEqual(EXPANDED_MAX);
  });

  it('takes linear time for references that are never closed', () => {
    expect(expand('$('.repeat(500_000), lookup)).toHaveLength(1_000_000);
  });
});

describe('escapeExpansion()', () => {
  it('makes any text survive an expansion', () => {
    fc.assert(
      fc.property(fc.oneof(syntax, fc.string()), (text) => {
        expect(expand(escapeExpansion(text), lookup)).toBe(text);
      }),
    );
  });
});
