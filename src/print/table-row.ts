import { escapeTerminal } from './terminal-text.ts';

/** Rows of a table as lines for a TabWriter: tabs between the cells, so that the last column is never padded. */
export function renderRows(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(tableCell).join('\t')}\n`).join('');
}

/** A cell stays on one line: what follows a line break is cut off and marked. Source: cli-runtime, tableprinter.go. */
function tableCell(text: string): string {
  const end = text.search(/[\n\r\f]/);
  return escapeTerminal(end === -1 ? text : `${text.slice(0, end)}...`);
}
