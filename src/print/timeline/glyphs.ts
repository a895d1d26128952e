import type { Tone } from '../painter.ts';

/** What can be drawn on a row, in the order in which a legend explains it. */
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
  | 'turnedBad';

/** The character for each, `bar` for the share of a step, `more` for what is cut off. Each but the last is one wide. */
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
  bar: '■',
  more: '…',
};

/** For terminals that know no Unicode. */
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
  bar: '#',
  more: '..',
};

/** What each means, and how it should strike the reader. */
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
  turnedGood: { text: 'and turned it', tone: 'good' },
  turnedBad: { text: 'and turned it', tone: 'bad' },
};
