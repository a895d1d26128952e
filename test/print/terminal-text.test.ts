import { expect, it } from 'vitest';
import { terminalLine, withoutControls } from '../../src/print/terminal-text.ts';

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
