import type { ServerResponse } from 'node:http';
import { asBytes, type Dialect, isWarningIn } from '../../apiserver/index.ts';

/** From this number of characters in all warnings on, each is cut. */
const CHARACTERS_MAX = 4 * 1024;
const CUT_AT = 256;

/**
 * The warnings of one answer: each once, as headers that kubectl prints.
 * Source: apiserver/pkg/endpoints/filters/warning.go; apimachinery/pkg/util/net/http.go, NewWarningHeader.
 */
export class AnswerWarnings {
  readonly #response: ServerResponse;
  readonly #dialect: Dialect;
  readonly #texts = new Set<string>();
  #characters = 0;

  constructor(response: ServerResponse, dialect: Dialect) {
    this.#response = response;
    this.#dialect = dialect;
  }

  /** Adds a warning, unless the head of the answer has gone. What comes behind the limit is dropped. */
  add(text: string): void {
    const isFull = this.#characters >= CHARACTERS_MAX;
    if (text === '' || isFull || this.#texts.has(text) || this.#response.headersSent) return;
    if (!isWarningIn(this.#dialect, text)) return;
    this.#texts.add(text);
    this.#response.setHeader('Warning', this.#headers());
  }

  #headers(): string[] {
    const all = [...this.#texts].map((text) => Array.from(text.replaceAll(/\p{Cc}/gu, ' ')));
    const isLong = all.reduce((sum, { length }) => sum + length, 0) > CHARACTERS_MAX;
    const texts = isLong ? all.map((text) => text.slice(0, CUT_AT)) : all;
    this.#characters = texts.reduce((sum, { length }) => sum + length, 0);
    return texts.map((text) => `299 - "${asBytes(text.join('').replaceAll(/[\\"]/g, '\\$&'))}"`);
  }
}
