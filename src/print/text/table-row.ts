import { escapeTerminal } from './terminal-text.ts';

/** Formats rows as lines for a TabWriter: tabs between the cells, so that the last column is never padded. */
export function renderRows(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(tableCell).join('\t')}\n`).join('');
}

/** A cell on one line: a text is cut at its first line break, with a mark. Source: cli-runtime, tableprinter.go. */
function tableCell(text: string): string {
  const end = text.search(/[\n\r\f]/);
  return escapeTerminal(end === -1 ? text : `${text.slice(0, end)}...`);
}
