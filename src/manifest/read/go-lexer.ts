import { Lexer } from 'yaml';

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
export function lexemes(text: string): Generator<string, void> {
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
