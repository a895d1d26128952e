import type { Chronicle } from '../scenario/chronicle.ts';
import type { Entry } from '../scenario/entry.ts';

/**
 * An invariant: a check that passes at any time. Runs after every entry, which the chronicle already contains. Returns
 * the error, or undefined.
 */
export type Invariant = (entry: Entry, past: Chronicle) => string | undefined;
