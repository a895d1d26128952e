import { describe, expect, it } from 'vitest';
import { newPace, pace } from '../../../src/print/workloads/wait-phrase.ts';

/** The lines as `SECOND text`, when each second has a phrase. */
function lines(phrases: ReadonlyArray<readonly [key: string, text: string]>, quietMs = 0): string[] {
  let state = newPace(0, quietMs);
  const said: string[] = [];
  for (const [second, [key, text]] of phrases.entries()) {
    const { next, isDue } = pace(state, { key, text }, second * 1000);
    state = next;
    if (isDue) said.push(`${second} ${text}`);
  }
  return said;
}

const seconds = (count: number, text: (second: number) => string): Array<readonly [string, string]> =>
  Array.from({ length: count }, (_, second) => ['same', text(second)]);

describe('the pace of progress in a log', () => {
  it('reports a wait once it has lasted a second, and each later wait', () => {
    const starting = ['start', 'main to start'] as const;
    const unready = ['ready', 'main to become ready'] as const;
    expect(lines([starting, unready, unready, unready, starting, starting])).toEqual([
      '2 main to become ready',
      '5 main to start',
    ]);
  });

  it('reports progress of the same wait every ten seconds', () => {
    expect(lines(seconds(32, (second) => `attempt ${second}`))).toEqual([
      '1 attempt 1',
      '11 attempt 11',
      '21 attempt 21',
      '31 attempt 31',
    ]);
  });

  it('gives a sign of life once a minute where nothing changes', () => {
    expect(lines(seconds(125, () => 'gate'))).toEqual(['1 gate', '61 gate', '121 gate']);
  });

  it('is quiet for the given time', () => {
    expect(
      lines(
        seconds(13, () => 'gate'),
        10_000,
      ),
    ).toEqual(['11 gate']);
  });
});
