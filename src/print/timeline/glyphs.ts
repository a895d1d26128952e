import type { Tone } from '../text/painter.ts';

/** The symbols of a row, in the order of the legend. */
export type GlyphName =
  | 'waiting'
  | 'backOff'
  | 'blocked'
  | 'starting'
  | 'running'
  | 'ready'
  | 'stopping'
  | 'good'
  | 'bad'
  | 'hook'
  | 'probeGood'
  | 'probeBad'
  | 'turnedGood'
  | 'turnedBad'
  | 'away';

/** The character of each symbol; `bar` for the share of a step, `more` for cut text. All but `more` take one cell. */
export type Glyphs = Readonly<Record<GlyphName | 'bar' | 'more', string>>;

export const UNICODE_GLYPHS: Glyphs = {
  waiting: '·',
  backOff: '┄',
  blocked: '×',
  starting: '░',
  running: '▒',
  ready: '█',
  stopping: '▚',
  good: '✓',
  bad: '✗',
  hook: '━',
  probeGood: '•',
  probeBad: '◦',
  turnedGood: '▲',
  turnedBad: '▼',
  away: '?',
  bar: '■',
  more: '…',
};

/** The symbols for terminals without Unicode. */
export const ASCII_GLYPHS: Glyphs = {
  waiting: '.',
  backOff: '~',
  blocked: '!',
  starting: ':',
  running: '-',
  ready: '#',
  stopping: '%',
  good: 'v',
  bad: 'x',
  hook: '=',
  probeGood: '+',
  probeBad: 'o',
  turnedGood: 'A',
  turnedBad: 'V',
  away: '?',
  bar: '#',
  more: '..',
};

/** The meaning and tone of each symbol. */
export const LEGEND: Readonly<Record<GlyphName, { readonly text: string; readonly tone: Tone | undefined }>> = {
  waiting: { text: 'waiting', tone: 'muted' },
  backOff: { text: 'back-off', tone: 'bad' },
  blocked: { text: 'cannot start', tone: 'bad' },
  starting: { text: 'starting up', tone: 'info' },
  running: { text: 'running', tone: 'info' },
  ready: { text: 'ready', tone: 'good' },
  stopping: { text: 'stopping', tone: 'muted' },
  good: { text: 'ended well', tone: 'good' },
  bad: { text: 'failed', tone: 'bad' },
  hook: { text: 'hook', tone: 'info' },
  probeGood: { text: 'probe succeeded', tone: 'good' },
  probeBad: { text: 'probe failed', tone: 'bad' },
  turnedGood: { text: 'probe succeeded: new state', tone: 'good' },
  turnedBad: { text: 'probe failed: new state', tone: 'bad' },
  away: { text: 'node away', tone: 'bad' },
};
