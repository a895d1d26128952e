import type { RE2JS } from 're2js';

const PATTERNS_MAX = 1000;
/** The longest pattern: the engine takes a second for five times as many characters. */
const PATTERN_LENGTH_MAX = 20_000;

let engine: typeof RE2JS | undefined;
const compiled = new Map<string, RE2JS>();

/**
 * Loads the engine of regular expressions. Called before objects are checked that may have patterns: their functions
 * cannot wait.
 */
export async function loadPatterns(): Promise<void> {
  ({ RE2JS: engine } = await import('re2js'));
}

/**
 * A regular expression in the language of Go. It takes a time that grows with the text, whatever the pattern:
 * JavaScript's own may take for ever.
 * @throws an error of the package for a text that is none
 */
function patternOf(text: string): RE2JS {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  if (engine === undefined) throw new Error('the engine of regular expressions is not loaded');
  if (text.length > PATTERN_LENGTH_MAX) {
    throw new RangeError(`error parsing regexp: more than ${PATTERN_LENGTH_MAX} characters`);
  }
  const pattern = engine.compile(text);
  if (compiled.size >= PATTERNS_MAX) compiled.clear();
  compiled.set(text, pattern);
  return pattern;
}

/** True for a text that is a regular expression. Before the engine is loaded, every text is. */
export function isPattern(text: string): boolean {
  try {
    if (engine !== undefined) patternOf(text);
    return true;
  } catch {
    return false;
  }
}

/** True when a part of the text fits the pattern. */
export function fitsPattern(pattern: string, text: string): boolean {
  return patternOf(pattern).matcher(text).find();
}

/** The parts of the text that fit the pattern, from the left. */
export function* foundBy(pattern: string, text: string): Generator<string> {
  const matcher = patternOf(pattern).matcher(text);
  while (matcher.find()) yield matcher.group() ?? '';
}
