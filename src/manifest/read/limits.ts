import { SourceError } from './source-text.ts';

/** Lists and objects inside each other. A CronJob with everything set has 17. */
export const MAX_DEPTH = 100;

/** Bytes of one document: the limit of a request to an API server. */
export const MAX_DOCUMENT_BYTES: number = 3 * 1024 * 1024;

/** Bytes of all documents of one file or of standard input. */
export const MAX_INPUT_BYTES: number = 64 * 1024 * 1024;

/** Pieces (words, brackets, blanks, line ends) of one YAML document. To read more would take seconds. */
export const MAX_YAML_TOKENS = 250_000;

/** Values of one JSON document. */
export const MAX_JSON_VALUES = 250_000;

/** Mistakes of one run; who makes more hardly reads all of them. */
export const MAX_ERRORS = 1000;

/** Values of one document, aliases written out. */
const MAX_NODES = 1_000_000;

/** Up to this many values, aliases may be used at will. */
const FREE_NODES = 10_000;

/** Beyond that, written-out aliases may make a document this many times larger than it is. */
const MAX_GROWTH = 100;

export function tooDeep(offset: number): SourceError {
  return new SourceError(`nested more than ${MAX_DEPTH} levels deep`, offset);
}

/** Do aliases make a small text a huge value ("billion laughs")? */
export function isExcessiveAliasing(writtenOut: number, written: number): boolean {
  return writtenOut > MAX_NODES || (writtenOut > FREE_NODES && writtenOut > MAX_GROWTH * written);
}
