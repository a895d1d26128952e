import {
  findResults,
  FloatLiteral,
  goText,
  JsonPathError,
  parseTemplate,
  relaxedPath,
  usage,
} from '../../api/index.ts';
import type { PrintedObject } from './object.ts';
import { escapeTerminal } from '../text/terminal-text.ts';
import { TABLE_LAYOUT, TabWriter } from '../text/tab-writer.ts';
import { PrintFailure } from './base/print-failure.ts';

/** One column of `-o custom-columns`. */
export interface CustomColumn {
  readonly heading: string;
  /** The path with its braces. An empty path finds nothing. */
  readonly path: string;
}

/**
 * Parses `NAME:.metadata.name,IP:.status.podIP`. Source: kubectl/pkg/cmd/get/customcolumn.go.
 * @throws {PodrunError} (usage)
 */
export function parseCustomColumns(spec: string): readonly CustomColumn[] {
  return spec.split(',').map((part) => {
    const colon = part.indexOf(':');
    if (colon < 0) {
      throw usage(`unexpected custom-columns spec: ${part}, expected <header>:<json-path-expr>`);
    }
    return { heading: part.slice(0, colon), path: relaxed(part.slice(colon + 1)) };
  });
}

/**
 * Parses two lines: headings, then paths, both separated by blanks.
 * @throws {PodrunError} (usage)
 */
export function parseColumnsFile(text: string): readonly CustomColumn[] {
  const shape = 'Expected format is one line of space separated headers, one line of space separated column specs.';
  const [headings, paths] = text.split('\n').map((line) => line.split(/\s+/).filter((word) => word !== ''));
  if (headings === undefined || text === '') throw usage(`invalid template, missing header line. ${shape}`);
  if (paths === undefined || (paths.length === 0 && text.trimEnd().split('\n').length < 2)) {
    throw usage(`invalid template, missing spec line. ${shape}`);
  }
  if (headings.length !== paths.length) {
    throw usage(`number of headers (${headings.length}) and field specifications (${paths.length}) don't match`);
  }
  return headings.map((heading, index) => ({ heading, path: relaxed(paths[index] ?? '') }));
}

/** Prints objects as rows of one growing table, with headings once. */
export function customColumnsPrinter(
  columns: readonly CustomColumn[],
  noHeaders: boolean,
): (object: PrintedObject) => string {
  const writer = new TabWriter(TABLE_LAYOUT);
  let headings = noHeaders ? '' : `${columns.map(({ heading }) => heading).join('\t')}\n`;
  return (object) => {
    let text = headings;
    headings = '';
    try {
      const parsed = columns.map(({ path }) => parseTemplate(path));
      for (const item of object.items ?? [object]) {
        text += `${parsed.map((nodes) => cell(findResults(nodes, item, { allowMissingKeys: true }))).join('\t')}\n`;
      }
    } catch (error) {
      if (error instanceof JsonPathError) throw new PrintFailure(error.message, writer.render(text));
      throw error;
    }
    return writer.render(text);
  };
}

function cell(results: readonly unknown[][]): string {
  const values = results.flat().map((value) => (value instanceof FloatLiteral ? value.value : value));
  if ((results[0] ?? []).length === 0) return ['<none>', ...values.map(goText)].join(',');
  return values.map((value) => escapeTerminal(goText(value))).join(',');
}

function relaxed(path: string): string {
  try {
    return path === '' ? '' : relaxedPath(path);
  } catch (error) {
    if (error instanceof JsonPathError) throw usage(error.message);
    throw error;
  }
}
