import { KEYWORDS, quotedToken, ReadError, type Token } from './tokens.ts';

/** A position in the tokens of a Go template. */
export class TokenCursor {
  readonly #tokens: readonly Token[];
  #next = 0;

  /** @param tokens the tokens, with one of type `end` at the end */
  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** The next tokens without spaces. */
  ahead(count: number): readonly Token[] {
    return this.#tokens
      .slice(this.#next)
      .filter(({ type }) => type !== 'space')
      .slice(0, count);
  }

  moveBehind(token: Token): void {
    this.#next = this.#tokens.indexOf(token) + 1;
  }

  /** The keyword after `{{`, without consuming it. */
  keyword(): string {
    const token = this.#tokens.slice(this.#next + 1).find(({ type }) => type !== 'space');
    return token?.type === 'word' && KEYWORDS.has(token.text) ? token.text : '';
  }

  peek(): Token {
    return this.#tokens[this.#next] ?? (this.#tokens.at(-1) as Token);
  }

  isAt(type: Token['type']): boolean {
    return this.peek().type === type;
  }

  take(): Token {
    const token = this.peek();
    this.#next += 1;
    return token;
  }

  skipSpace(): void {
    while (this.isAt('space')) this.#next += 1;
  }

  /** Consumes the keyword of an action. */
  takeWord(): void {
    this.skipSpace();
    this.#next += 1;
  }

  /** Consumes `{{` and the keyword after it. */
  takeKeyword(): void {
    this.take();
    this.takeWord();
  }

  expect(type: Token['type'], context: string): void {
    this.skipSpace();
    const token = this.take();
    if (token.type !== type) throw this.unexpected(token, context);
  }

  requireMore(): void {
    if (this.isAt('end')) throw this.error('unexpected EOF');
  }

  unexpected(token: Token, context: string): ReadError {
    return new ReadError(`unexpected ${quotedToken(token)} in ${context}`, token.at);
  }

  error(message: string): ReadError {
    return new ReadError(message, this.peek().at);
  }
}
