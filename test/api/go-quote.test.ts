import { expect, it } from 'vitest';
import { goQuote } from '../../src/api/go/go-quote.ts';

it.each([
  { text: '', want: '""' },
  { text: 'sh -c "sleep 10"', want: String.raw`"sh -c \"sleep 10\""` },
  { text: 'C:\\dir', want: String.raw`"C:\\dir"` },
  { text: 'a\n\r\t\v\f\b\u0007', want: String.raw`"a\n\r\t\v\f\b\a"` },
  { text: '\0\u001b[1m\u007f', want: String.raw`"\x00\x1b[1m\x7f"` },
  { text: "it's äöü 漢字 🎉 €", want: `"it's äöü 漢字 🎉 €"` },
  { text: '\u00a0\u200b\u2028\ue000', want: String.raw`"\u00a0\u200b\u2028\ue000"` },
  { text: '\u{e0001}', want: String.raw`"\U000e0001"` },
])('goQuote() prints $want as Go does', ({ text, want }) => {
  expect(goQuote(text)).toBe(want);
});
