import { goQuote } from '../../api/index.ts';

interface Interval {
  readonly first: number;
  readonly last: number;
}

/** A mistake in a list of indexes, in Go's words. */
interface IndexProblem {
  readonly problem: string;
}

/**
 * Counts the indexes in a text such as `0,2-3`, or returns its mistake.
 * Source: pkg/apis/batch/validation/validation.go, validateIndexesFormat.
 */
export function countIndexes(text: string, completions: number): number | IndexProblem {
  if (text === '') return 0;
  let previous: number | undefined;
  let total = 0;
  for (const part of text.split(',')) {
    const interval = parseInterval(part, completions);
    if ('problem' in interval) return interval;
    if (previous !== undefined && previous >= interval.first) return notIncreasing(previous, interval.first);
    total += interval.last - interval.first + 1;
    previous = interval.last;
  }
  return total;
}

function parseInterval(text: string, completions: number): Interval | IndexProblem {
  const parts = text.split('-');
  if (parts.length > 2) {
    const rule = "violates the requirement that an index interval can have at most two parts separated by '-'";
    return { problem: `the fragment ${goQuote(text)} ${rule}` };
  }
  const [firstText = '', lastText] = parts;
  const first = parseIndex(firstText, completions);
  if (typeof first !== 'number') return first;
  if (lastText === undefined) return { first, last: first };
  const last = parseIndex(lastText, completions);
  if (typeof last !== 'number') return last;
  return first >= last ? notIncreasing(first, last) : { first, last };
}

function parseIndex(text: string, completions: number): number | IndexProblem {
  if (!/^\+?[0-9]+$/.test(text)) return { problem: `cannot convert string to integer for index: ${goQuote(text)}` };
  const index = Number(text);
  return index >= completions ? { problem: `too large index: ${goQuote(text)}` } : index;
}

function notIncreasing(previous: number, current: number): IndexProblem {
  return { problem: `non-increasing order, previous: ${previous}, current: ${current}` };
}
