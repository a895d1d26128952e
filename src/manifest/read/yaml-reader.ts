// The yaml package is large: import this module dynamically, for the first document that is not JSON.
import { Composer, Lexer, Parser, type YAMLParseError } from 'yaml';
import { MAX_DEPTH, MAX_YAML_TOKENS, tooDeep } from './limits.ts';
import { SourceError, type SourceNode, type SourceText } from './source-node.ts';
import { YamlTree } from './yaml-tree.ts';

/** A message of go-yaml, with podrun's advice. */
interface GoMessage {
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

/** Options that keep scalars as text: yaml-scalars.ts interprets them by the rules of go-yaml. */
const OPTIONS = {
  version: '1.1',
  schema: 'failsafe',
  resolveKnownTags: false,
  uniqueKeys: false,
  merge: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/**
 * Reads one YAML document as kubectl does: YAML 1.1 by the rules of go-yaml. An empty document is a null node.
 * @throws SourceError when the text is no YAML, or too deep or too large
 */
export function readYaml(source: SourceText): SourceNode {
  try {
    return readTree(source);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    throw new SourceError(`error converting YAML to JSON: ${error.message}`, error.offset, error.hint);
  }
}

function readTree(source: SourceText): SourceNode {
  const { text } = source;
  refuseControlCharacters(text);
  refuseDirectives(text);
  const documents = withoutStackTraces(() => [
    ...new Composer(OPTIONS).compose(syntaxTokens(source), true, text.length),
  ]);
  for (const { errors } of documents) refuseErrors(errors, source);
  const [first, second] = documents;
  if (second !== undefined) {
    throw new SourceError('yaml: content after the end of the document', second.range[0], 'start a new one with ---');
  }
  return new YamlTree(text).build(first?.contents ?? null);
}

/** Runs a function without stack traces: the package makes an Error of each mistake, and 100,000 traces take long. */
function withoutStackTraces<T>(run: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The tokens of the package's parser. Throws when the text is too deep or too long, or a bracket stays open. */
function* syntaxTokens(source: SourceText): ReturnType<Parser['parse']> {
  const { text } = source;
  const parser = new Parser();
  const open: number[] = [];
  let count = 0;
  for (const lexeme of lexemes(text)) {
    count += 1;
    if (count > MAX_YAML_TOKENS)
      throw new SourceError(`document has more than ${MAX_YAML_TOKENS} tokens`, parser.offset);
    // The stack has the document below the collections, and perhaps a scalar above them.
    if (parser.stack.length > MAX_DEPTH + 2) throw tooDeep(parser.offset);
    if (lexeme === '[' || lexeme === '{') open.push(parser.offset);
    else if (lexeme === ']' || lexeme === '}') open.pop();
    for (const token of parser.next(lexeme)) {
      yield token;
      // The document has ended, and more text follows: that is one mistake, whatever the text is.
      if (token.type === 'error') return;
    }
  }
  const bracket = open.at(-1);
  if (bracket !== undefined) {
    const closing = text[bracket] === '[' ? ']' : '}';
    // A value may follow, or the bracket that closes.
    const needsValue = /[[{,]\s*$/.test(text);
    throw syntaxError(source, bracket, {
      message: needsValue ? 'did not find expected node content' : `did not find expected ',' or '${closing}'`,
      hint: 'close the bracket',
    });
  }
  yield* parser.end();
}

/** Control characters (Cc) except tab, line feed and NEL, and the two non-characters of Unicode's first plane. */
const CONTROL = /[^\P{Cc}\t\n\u0085]|[\ufffe\uffff]/u;

function refuseControlCharacters(text: string): void {
  const offset = text.search(CONTROL);
  if (offset !== -1) throw new SourceError('yaml: control characters are not allowed', offset);
}

function refuseDirectives(text: string): void {
  const match = /^(?:[ \t]*(?:#.*)?\n)*%(YAML\b)?/.exec(text);
  if (match === null) return;
  const message =
    match[1] === undefined ? 'did not find expected <document start>' : 'found incompatible YAML document';
  throw new SourceError(`yaml: ${message}`, match[0].lastIndexOf('%'), 'leave directives out');
}

/** True for texts that go-yaml accepts: its own escapes (read later), and comments without a blank before them. */
function isAcceptedByGo({ code, message }: YAMLParseError): boolean {
  return code === 'BAD_DQ_ESCAPE' || message.startsWith('Comments must be separated');
}

/** True for a key over several lines: mostly a value that ended too late, so the mistake is at its end. */
const isLongKey = ({ code }: YAMLParseError): boolean => code === 'MULTILINE_IMPLICIT_KEY';

function refuseErrors(errors: readonly YAMLParseError[], source: SourceText): void {
  const serious = errors.filter((error) => !isAcceptedByGo(error));
  const inOrder = serious.toSorted((a, b) => a.pos[0] - b.pos[0] || Number(isLongKey(b)) - Number(isLongKey(a)));
  const [first] = inOrder;
  if (first === undefined) return;
  const [start, end] = first.pos;
  // A mistake at the end of the text points right after its last character.
  const offset = Math.min(isLongKey(first) ? end : start, source.text.trimEnd().length);
  throw syntaxError(source, offset, goMessage(first));
}

function syntaxError(source: SourceText, offset: number, { message, hint }: GoMessage): SourceError {
  return new SourceError(`yaml: line ${source.positionAt(offset).line}: ${message}`, offset, hint);
}

/** Translates an error of the yaml package into the words of go-yaml, if it has any. */
function goMessage(error: YAMLParseError): GoMessage {
  const row = MESSAGES.find(
    ({ code, text }) => code === error.code && (text === undefined || text.test(error.message)),
  );
  return { message: row?.message ?? error.message, hint: row?.hint };
}

type Scan = Generator<string, unknown>;

/** The private members of the package's lexer that decide about indentation. */
interface LexerInternals {
  /** The indentation that a line needs to belong to the current node. */
  indentNext: number;
  /** The number of open brackets. */
  flowLevel: number;
  parseQuotedScalar(): Scan;
  parsePlainScalar(): Scan;
  parseFlowCollection(): Scan;
}

/**
 * Splits a YAML text into lexemes. Like go-yaml, and unlike the package, ignores the indentation of lines inside
 * brackets and quotes.
 */
function lexemes(text: string): Generator<string, void> {
  const lexer = new Lexer();
  // These members are private in the package's types. The package is pinned, and tests hold its behaviour.
  const internals = lexer as unknown as LexerInternals;
  const inFlow = (): boolean => internals.flowLevel > 0;
  withoutIndent(internals, 'parseQuotedScalar', () => true);
  withoutIndent(internals, 'parsePlainScalar', inFlow);
  withoutIndent(internals, 'parseFlowCollection', inFlow);
  return lexer.lex(text);
}

type ScanName = 'parseQuotedScalar' | 'parsePlainScalar' | 'parseFlowCollection';

/** Makes a scan ignore indentation where `applies` returns true. */
function withoutIndent(internals: LexerInternals, name: ScanName, applies: () => boolean): void {
  const scan = internals[name].bind(internals);
  internals[name] = function* scanWithoutIndent(): Scan {
    if (!applies()) return yield* scan();
    const { indentNext } = internals;
    internals.indentNext = 0;
    const next = yield* scan();
    internals.indentNext = indentNext;
    return next;
  };
}
