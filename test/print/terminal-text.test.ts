import { expect, it } from 'vitest';
import { escapeTerminal, terminalLine, visibleControls, withoutControls } from '../../src/print/text/terminal-text.ts';

it.each([
  ['as it is', 'as it is'],
  ['tab\tand 日本語 é', 'tab\tand 日本語 é'],
  ['\u001B[31mred\u001B[0m', '\u001B[31mred\u001B[0m\u001B[0m'],
  ['\u001B[1;38;5;9mbold', '\u001B[1;38;5;9mbold\u001B[0m'],
  ['\u001B[2J\u001B[Hcleared', 'cleared'],
  ['\u001B[?1049hother screen\u001B[1;5r', 'other screen'],
  ['\u001B]0;title\u0007text', 'text'],
  ['\u001B]8;;http://a\u001B\\link\u001B]8;;\u001B\\', 'link'],
  ['\u001BPdevice\u001B\\text\u001Bc', 'text'],
  ['\u009B2Jc1 \u0085\u0090x\u009Cend', 'c1 end'],
  ['nul\u0000 bell\u0007 back\u0008 del\u007F', 'nul bell back del'],
  ['10%\r20%\r30%', '30%'],
  ['30%\r', '30%'],
  ['10%\r\u001B[K', '10%'],
  ['\u001B[', ''],
  ['cut \u001B', 'cut '],
  ['', ''],
])('a line %j is shown as %j', (written, shown) => {
  expect(terminalLine(written)).toBe(shown);
  expect(terminalLine(shown)).toBe(shown === written || !shown.includes('\u001B') ? shown : `${shown}\u001B[0m`);
});

it('text has no escape sequence at all', () => {
  expect(withoutControls('\u001B[31mred\u001B[0m\r\n日本語\u0000')).toBe('red  日本語 ');
});

it.each([
  ['as it is\n\tand 日本語 é', 'as it is\n\tand 日本語 é'],
  ['\u001B[2Jclear', '^[[2Jclear'],
  ['a\r\nb', 'a\\r\nb'],
  ['bell\u0007 nul\u0000 tab\v feed\f', 'bell^G nul^@ tab^K feed^L'],
  ['del\u007F c1 \u009B5m', 'del\\u007f c1 \\u009b5m'],
  ['\u202Eright to left\u2066\u061C', '\\u202eright to left\\u2066\\u061c'],
  ['\u001B[31mred\u001B[39m', '^[[31mred^[[39m'],
])('a text %j is written as %j', (text, written) => {
  expect(visibleControls(text, { keepsColors: false })).toBe(written);
  expect(visibleControls(written, { keepsColors: false })).toBe(written);
});

it('the colours of podrun are kept, where there are colours', () => {
  const text = '\u001B[31mred\u001B[39m\u001B[8mhidden\u001B[0m';
  expect(visibleControls(text, { keepsColors: true })).toBe('\u001B[31mred\u001B[39m^[[8mhidden\u001B[0m');
});

it('JSON means the same afterwards', () => {
  const value = { ['k\u202E']: Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).join('') };
  const json = visibleControls(JSON.stringify(value), { keepsColors: false });
  expect(JSON.parse(json)).toEqual(value);
});

it('a cell keeps what a table is aligned by', () => {
  expect(escapeTerminal('a\tb\nc\f\u001B[1m\u202E')).toBe('a\tb\nc\f^[[1m\\u202e');
});
