import type { Finding, Findings } from '../../manifest/index.ts';
import type { Painter, Tone } from '../text/painter.ts';
import { counted } from '../../history/index.ts';

const TONES = { error: 'bad', warning: 'info', note: 'muted' } as const satisfies Record<Finding['level'], Tone>;

/** The columns to show of a long line, around the position. */
const EXCERPT_COLUMNS = 100;
const MARGIN_COLUMNS = 30;

/**
 * Formats a finding for people: a line in a format that editors and CI systems read, and below it the line of the
 * manifest with a caret.
 */
export function renderFinding(finding: Finding, painter: Painter): string {
  const { file, line, column, level, object, message, hint } = finding;
  const tone = TONES[level];
  const subject = object === undefined ? '' : `${object.kind}${object.name === '' ? '' : ` ${object.name}`}: `;
  const advice = hint === undefined ? '' : ` - ${hint}`;
  const head = `${file}:${line}:${column}: ${painter.tone(tone, `${level}:`)} ${subject}${message}${advice}\n`;
  return level === 'note' ? head : head + excerptOf(finding, (text) => painter.tone(tone, text), painter);
}

function excerptOf({ line, column, excerpt }: Finding, mark: (text: string) => string, painter: Painter): string {
  if (excerpt.trim() === '') return '';
  const start = column - 1 > EXCERPT_COLUMNS - MARGIN_COLUMNS ? column - 1 - MARGIN_COLUMNS : 0;
  const isCut = excerpt.length > start + EXCERPT_COLUMNS;
  const cut = (start > 0 ? '…' : '') + excerpt.slice(start, start + EXCERPT_COLUMNS) + (isCut ? '…' : '');
  const before = (start > 0 ? '…' : '') + excerpt.slice(start, column - 1);
  const gutter = String(line).padStart(5);
  const bar = painter.tone('muted', `${gutter} |`);
  const emptyBar = painter.tone('muted', `${' '.repeat(gutter.length)} |`);
  return `${bar} ${plain(cut)}\n${emptyBar} ${before.replaceAll(/./gsu, ' ')}${mark('^')}\n`;
}

/** Replaces control characters, which would move the cursor, with blanks. */
function plain(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ');
}

/** `2 errors and 1 warning in 3 objects of 2 files; 1 skipped`. */
export function findingsSummary({ findings, files, objects }: Findings): string {
  const count = (level: Finding['level']): number => findings.filter((finding) => finding.level === level).length;
  const [errors, warnings, notes] = [count('error'), count('warning'), count('note')];
  const found = [
    ...(errors > 0 ? [counted(errors, 'error')] : []),
    ...(warnings > 0 ? [counted(warnings, 'warning')] : []),
  ];
  const verdict = found.length === 0 ? 'nothing wrong' : found.join(' and ');
  const skipped = notes === 0 ? '' : `; ${notes} not checked`;
  return `${verdict} in ${counted(objects, 'object')} of ${counted(files, 'file')}${skipped}\n`;
}
