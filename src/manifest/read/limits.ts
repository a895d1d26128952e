import { SourceError } from './source-node.ts';

/** The depth of nested lists and objects. A CronJob with every field has 17. */
export const MAX_DEPTH = 100;

/** The bytes of one document: the limit of a request to an API server. */
export const MAX_DOCUMENT_BYTES: number = 3 * 1024 * 1024;

/** The bytes of all documents of one file or of standard input. */
export const MAX_INPUT_BYTES: number = 64 * 1024 * 1024;

/** The lexemes (words, brackets, blanks, line ends) of one YAML document. More would take seconds to read. */
export const MAX_YAML_TOKENS = 250_000;

/** The values of one JSON document. */
const MAX_JSON_VALUES = 250_000;

/** The mistakes of one run: hardly anyone reads more. */
export const MAX_ERRORS = 1000;

/** The values of one document with aliases expanded. */
const MAX_NODES = 1_000_000;

/** The values up to which aliases are not counted. */
const FREE_NODES = 10_000;

/** The characters of a text that count as one value more: an alias may stand for a long text as well. */
export const TEXT_PER_NODE = 16;

/** The factor by which expanded aliases may enlarge a document beyond that. */
const MAX_GROWTH = 100;

export function tooDeep(offset: number): SourceError {
  return new SourceError(`nested more than ${MAX_DEPTH} levels deep`, offset);
}

/** True when aliases expand a small text to a huge value ("billion laughs"). */
export function isExcessiveAliasing(writtenOut: number, written: number): boolean {
  return writtenOut > MAX_NODES || (writtenOut > FREE_NODES && writtenOut > MAX_GROWTH * written);
}

/** @throws SourceError for too many values of one JSON document */
export function checkCount(values: number, offset: number): void {
  if (values > MAX_JSON_VALUES) throw new SourceError(`more than ${MAX_JSON_VALUES} values`, offset);
}
