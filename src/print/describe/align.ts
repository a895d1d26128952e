import { escapeTerminal } from '../text/terminal-text.ts';
import { DESCRIBE_LAYOUT, TabWriter } from '../text/tab-writer.ts';
import { line } from './line.ts';

/** Aligns lines of `describe`, and escapes control characters. */
export function align(lines: readonly string[]): string {
  return new TabWriter(DESCRIBE_LAYOUT).render(escapeTerminal(`${lines.join('\n')}\n`));
}

/** A line, or none without a value. */
export function optional(title: string, value: string | number | undefined | null): string[] {
  return value === undefined || value === null || value === '' ? [] : [line(0, title, String(value))];
}
