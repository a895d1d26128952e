/**
 * One line of `describe` without its newline: cells separated by tabs, two blanks of indent per level. One TabWriter
 * aligns all lines, because neighbouring blocks share their columns.
 */
export function line(level: number, ...cells: readonly string[]): string {
  return indent(level) + cells.join('\t');
}

/** The blanks in front of a line of a level. */
export function indent(level: number): string {
  return '  '.repeat(level);
}
