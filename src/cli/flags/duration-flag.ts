import { parseDuration, PodrunError, usage } from '../../api/index.ts';

/** The longest time-out that kubectl uses. */
export const WEEK_MS: number = 7 * 24 * 3_600_000;

/**
 * Reads a flag that takes a duration. Answers milliseconds.
 * @throws {PodrunError} (usage) that names the flag
 */
export function durationFlag(flag: string, text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    if (!(error instanceof PodrunError)) throw error;
    const message = `invalid argument ${JSON.stringify(text)} for "${flag}" flag: ${error.message}`;
    throw usage(message, 'Durations have a unit, for example 500ms, 30s or 2m30s.');
  }
}

/**
 * Reads `--settle`. Answers milliseconds.
 * @throws {PodrunError} (usage) when the text is not a duration, or negative
 */
export function settleFlag(text: string): number {
  const ms = durationFlag('--settle', text);
  if (ms >= 0) return ms;
  throw usage('--settle cannot be negative', 'With 0, a container without probes counts as Ready as soon as it runs.');
}
