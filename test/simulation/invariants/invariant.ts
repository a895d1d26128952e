import type { Chronicle } from '../scenario/chronicle.ts';
import type { Entry } from '../scenario/entry.ts';

/**
 * A sentence that holds whatever happens. It is asked after every entry, which the chronicle has taken in already.
 * Answers what is wrong, undefined when nothing is.
 */
export type Invariant = (entry: Entry, past: Chronicle) => string | undefined;
