/**
 * One line of `describe`, without its newline: cells with tabs between them, two blanks of indent for each level. The
 * lines of all rooms go through one TabWriter, because neighbouring blocks share their columns.
 */
export function line(level: number, ...cells: readonly string[]): string {
  return indent(level) + cells.join('\t');
}

/** Blanks in front of a line of that level. */
export function indent(level: number): string {
  return '  '.repeat(level);
}
