import { Lexer } from 'yaml';

type Scan = Generator<string, unknown>;

/** The parts of the package's lexer that decide how far lines must be indented. */
interface LexerInternals {
  /** Indentation that a line must have to belong to what is being read. */
  indentNext: number;
  /** How many brackets are open. */
  flowLevel: number;
  parseQuotedScalar(): Scan;
  parsePlainScalar(): Scan;
  parseFlowCollection(): Scan;
}

/**
 * The pieces of a YAML text. Unlike the package alone, and like go-yaml, it does not care how lines are indented inside
 * brackets and quotes.
 */
export function lexemes(text: string): Generator<string, void> {
  const lexer = new Lexer();
  // These members are private in the package's types; the package is pinned, and tests hold this to what it does.
  const internals = lexer as unknown as LexerInternals;
  const inFlow = (): boolean => internals.flowLevel > 0;
  withoutIndent(internals, 'parseQuotedScalar', () => true);
  withoutIndent(internals, 'parsePlainScalar', inFlow);
  withoutIndent(internals, 'parseFlowCollection', inFlow);
  return lexer.lex(text);
}

type ScanName = 'parseQuotedScalar' | 'parsePlainScalar' | 'parseFlowCollection';

/** Makes a scan want no indentation where `applies`. */
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
