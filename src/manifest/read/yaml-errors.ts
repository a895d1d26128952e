import type { YAMLParseError } from 'yaml';

/** A message of go-yaml, with podrun's advice. */
export interface GoMessage {
  readonly message: string;
  readonly hint: string | undefined;
}

/** The messages of go-yaml for errors of the yaml package. The first matching row counts. */
const MESSAGES: readonly { code: string; text?: RegExp; message: string; hint?: string }[] = [
  {
    code: 'TAB_AS_INDENT',
    message: 'found a tab character that violates indentation',
    hint: 'tab used for indentation, use blanks',
  },
  { code: 'BAD_SCALAR_START', message: 'found character that cannot start any token', hint: 'quote the text' },
  { code: 'BAD_ALIAS', message: 'did not find expected alphabetic or numeric character', hint: 'quote the text' },
  { code: 'MISSING_CHAR', text: /closing .quote/, message: 'found unexpected end of stream', hint: 'close the quote' },
  { code: 'MISSING_CHAR', text: /followed by map values/, message: "could not find expected ':'" },
  { code: 'MISSING_CHAR', text: /without - indicator/, message: "did not find expected '-' indicator" },
  { code: 'MISSING_CHAR', text: /flow map|Flow map/, message: "did not find expected ',' or '}'" },
  { code: 'MISSING_CHAR', text: /flow seq|Flow seq/, message: "did not find expected ',' or ']'" },
  { code: 'BAD_INDENT', text: /Flow map/, message: "did not find expected ',' or '}'" },
  { code: 'BAD_INDENT', text: /Flow seq/, message: "did not find expected ',' or ']'" },
  { code: 'BAD_INDENT', text: /sequence items/, message: "did not find expected '-' indicator" },
  { code: 'BAD_INDENT', text: /mapping items/, message: 'did not find expected key' },
  { code: 'BLOCK_AS_IMPLICIT_KEY', text: /mappings/, message: 'mapping values are not allowed in this context' },
  { code: 'BLOCK_AS_IMPLICIT_KEY', message: 'block sequence entries are not allowed in this context' },
  { code: 'MULTILINE_IMPLICIT_KEY', message: 'mapping values are not allowed in this context' },
  { code: 'KEY_OVER_1024_CHARS', message: "could not find expected ':'" },
];

/** Translates an error of the yaml package into the words of go-yaml, if it has any. */
export function goMessage(error: YAMLParseError): GoMessage {
  const row = MESSAGES.find(
    ({ code, text }) => code === error.code && (text === undefined || text.test(error.message)),
  );
  return { message: row?.message ?? error.message, hint: row?.hint };
}
