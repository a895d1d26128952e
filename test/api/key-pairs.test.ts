import { describe, expect, it } from 'vitest';
import {
  clashes,
  editPairs,
  parseAnnotationPairs,
  parseLabelPairs,
  splitPairs,
} from '../../src/api/select/key-pairs.ts';

describe('the words of a command line', () => {
  it('are objects up to the first pair', () => {
    expect(splitPairs(['pod', 'web', 'a=b', 'c-'], 'label')).toEqual({
      resources: ['pod', 'web'],
      pairs: ['a=b', 'c-'],
    });
    expect(splitPairs(['pod/web'], 'label')).toEqual({ resources: ['pod/web'], pairs: [] });
  });

  it('are refused with an object behind a pair', () => {
    const split = () => splitPairs(['pod', 'a=b', 'web'], 'annotation');
    expect(split).toThrow('all resources must be specified before annotation changes: web');
  });
});

describe('labels', () => {
  it('are set and removed', () => {
    expect(parseLabelPairs(['a=b', 'empty=', 'c-'])).toEqual({
      set: new Map([
        ['a', 'b'],
        ['empty', ''],
      ]),
      remove: ['c'],
    });
  });

  it.each([
    [['a=b=c'], 'invalid label spec: a=b=c'],
    [['a=b!'], 'invalid label value: "a=b!": a valid label must be'],
    [['a=b', 'a-'], 'can not both modify and remove a label in the same command'],
  ])('%j are refused', (pairs, message) => {
    expect(() => parseLabelPairs(pairs)).toThrow(message);
  });
});

describe('annotations', () => {
  it('may hold anything', () => {
    const { set, remove } = parseAnnotationPairs(['a=b=c', 'text=two words-', 'd-']);
    expect(Object.fromEntries(set)).toEqual({ a: 'b=c', text: 'two words-' });
    expect(remove).toEqual(['d']);
  });

  it.each([
    [['=b', '-'], 'invalid annotation format: =b, -'],
    [['a=b', 'c=d', 'c-', 'a-'], 'can not both modify and remove the following annotations in the same command: c, a'],
  ])('%j are refused', (pairs, message) => {
    expect(() => parseAnnotationPairs(pairs)).toThrow(message);
  });
});

it('pairs clash where a key has another value', () => {
  const edits = parseLabelPairs(['same=1', 'other=2', 'new=3', 'gone-']);
  const present = { same: '1', other: '1', gone: '1', kept: '1' };
  expect(clashes(present, edits)).toEqual(["'other' already has a value (1)"]);
  expect(editPairs(present, edits)).toEqual({ same: '1', other: '2', kept: '1', new: '3' });
});

it('the last pair takes the whole map with it', () => {
  expect(editPairs({ a: '1' }, parseLabelPairs(['a-']))).toBeUndefined();
  expect(editPairs(undefined, parseLabelPairs(['a-']))).toBeUndefined();
});
