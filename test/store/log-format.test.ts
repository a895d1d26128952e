import { describe, expect, it } from 'vitest';
import { LogFormat, type LogFormatOptions } from '../../src/store/logs/log-format.ts';
import { parseRecords } from '../../src/store/logs/cri-line.ts';

const TIME = '2026-11-20T20:01:02.123000000Z';
const LINES = [
  'stdout F one',
  'stderr P tw',
  'stdout F o ä',
  'stdout Q odd',
  'stdout',
  '',
  'stdout F ',
  'stdout P end',
];
const HOOK = ['stdout F:preStop draining', 'stdout F:preStop:note begins'];

function formatted(lines: readonly string[], options: Partial<LogFormatOptions>): string {
  const format = new LogFormat({ timestamps: false, prefix: '', limitBytes: undefined, ...options });
  // Each record comes by itself: what a line began is known when its end comes.
  const records = lines.map((line) => parseRecords(Buffer.from(`${TIME} ${line}\n`)));
  return Buffer.concat(records.map((few) => format.format(few))).toString();
}

describe('the format of logs', () => {
  it("is the container's output without records that a crash has torn", () => {
    expect(formatted(LINES, {})).toBe('one\ntwo ä\n\nend');
  });

  it('has a prefix and a time where a line begins', () => {
    const head = `[pod/web/main] ${TIME}`;
    expect(formatted(LINES, { prefix: '[pod/web/main] ', timestamps: true })).toBe(
      `${head} one\n${head} two ä\n${head} \n${head} end`,
    );
  });

  it('names hooks', () => {
    expect(formatted(HOOK, { timestamps: true })).toBe(`${TIME} [preStop] draining\n${TIME} [preStop] * begins\n`);
  });

  it.each([
    { limitBytes: 0, want: '' },
    { limitBytes: 2, want: '> on' },
    { limitBytes: 4, want: '> one\n' },
    { limitBytes: 6, want: '> one\n> tw' },
    { limitBytes: 99, want: '> one\n> two ä\n> \n> end' },
  ])('ends after $limitBytes bytes, prefixes not counted', ({ limitBytes, want }) => {
    expect(formatted(LINES, { prefix: '> ', limitBytes })).toBe(want);
  });
});
