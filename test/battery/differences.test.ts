import { describe, expect, it } from 'vitest';
import { readText } from '../architecture/source.ts';
import { differing, type Entry, judge, tableOf } from './judge.mjs';

const entries = JSON.parse(readText('test/battery/differences.json')) as readonly Entry[];

describe('the responses that differ from the ones of a real API server', () => {
  it('are all on the page, with their reasons', () => {
    expect(readText('docs/serve.md')).toContain(`\n${tableOf(entries)}\n`);
  });

  const answers = [{ key: 'pods create / table', found: [{ at: 'cells.a' }, { at: 'code' }] }];
  const cell = { key: 'pods create / table', at: 'cells.a' };
  const code = { key: 'pods create / table', at: 'code' };
  it.each([
    { about: 'without a reason', entries: [], unexplained: [cell, code], idle: [] },
    { about: 'with one for all places', entries: [{ reason: '', keys: ['^pods '] }], unexplained: [], idle: [] },
    {
      about: 'with one for a place',
      entries: [{ reason: '', keys: ['.'], at: '^cells' }],
      unexplained: [code],
      idle: [],
    },
    { about: 'of others', entries: [{ reason: '', keys: ['jobs'] }], unexplained: [cell, code], idle: ['jobs'] },
    {
      about: 'of others, in some runs',
      entries: [
        { reason: '', keys: ['jobs'], sometimes: true },
        { reason: '', keys: ['table$'] },
      ],
      unexplained: [],
      idle: [],
    },
  ])('are judged $about', ({ entries, unexplained, idle }) => {
    expect(judge(answers, entries)).toEqual({ unexplained, idle });
  });

  it('are not only uids that the comparison takes for names of its own', () => {
    const at = (place: string, podrun: string): object => ({ at: place, what: 'different', real: '<uid>', podrun });
    const left = { key: 'a', found: [at('metadata.uid', '111104f1-3f19-49ab-9c43-782defb7dcdc')] };
    const other = { key: 'b', found: [at('metadata.uid', '211104f1-3f19-49ab-9c43-782defb7dcdc')] };
    expect(differing([left, other] as never).map(({ key }) => key)).toEqual(['b']);
  });
});
