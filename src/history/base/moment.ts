import { parseDuration, parseTime, type PodrunError, usage } from '../../api/index.ts';

/** A moment of a run, as the user names it. */
export type Moment =
  /** A time after the creation of the Pod. */
  | { readonly how: 'offset'; readonly ms: number }
  /** Milliseconds since 1970. */
  | { readonly how: 'time'; readonly ms: number }
  /** The first time that the restart count of a container reached this number. Undefined name: any container. */
  | { readonly how: 'restart'; readonly container: string | undefined; readonly count: number }
  /** The first time that the Pod had this phase. */
  | { readonly how: 'phase'; readonly phase: string }
  /** The first time that the condition had this status. */
  | { readonly how: 'condition'; readonly type: string; readonly status: string }
  /** The last recorded state. */
  | { readonly how: 'end' };

const PHASES = ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown'];
const STATUSES = ['True', 'False', 'Unknown'];
const RESTART = /^(?:(?<container>[^:]+):)?(?<count>[1-9]\d*)$/;

/**
 * Parses `3.2s`, `2026-01-15T12:00:00Z`, `restart:2`, `restart:main:2`, `phase:Running`, `condition:Ready`,
 * `condition:Ready=False` or `end`.
 * @throws {PodrunError} (usage) for any other text
 */
export function parseMoment(text: string): Moment {
  if (text === 'end') return { how: 'end' };
  const colon = text.indexOf(':');
  const [word, rest] = colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
  if (word === 'restart') return restartMoment(text, rest);
  if (word === 'phase') return { how: 'phase', phase: oneOf(PHASES, rest, text) };
  if (word === 'condition') return conditionMoment(text, rest);
  const time = parseTime(text);
  if (!Number.isNaN(time)) return { how: 'time', ms: time };
  try {
    return { how: 'offset', ms: parseDuration(text) };
  } catch {
    throw noMoment(text, 'it is not a moment of a run');
  }
}

function restartMoment(text: string, rest: string): Moment {
  const { container, count } = RESTART.exec(rest)?.groups ?? {};
  if (count === undefined) throw noMoment(text, 'restart: takes a number from 1 on, after the container or alone');
  return { how: 'restart', container, count: Number(count) };
}

function conditionMoment(text: string, rest: string): Moment {
  const [type = '', status = 'True'] = rest.split('=');
  if (type === '') throw noMoment(text, 'condition: takes the type of a condition');
  return { how: 'condition', type, status: oneOf(STATUSES, status, text) };
}

/** Finds a word, in upper or lower case. */
function oneOf(words: readonly string[], given: string, text: string): string {
  const word = words.find((known) => known.toLowerCase() === given.toLowerCase());
  if (word === undefined) throw noMoment(text, `${JSON.stringify(given)} is not one of ${words.join(', ')}`);
  return word;
}

function noMoment(text: string, why: string): PodrunError {
  return usage(
    `invalid argument ${JSON.stringify(text)} for "--at" flag: ${why}`,
    'Examples: 3.2s, restart:2, restart:main:1, phase:Running, condition:Ready, end, or a time.',
  );
}
