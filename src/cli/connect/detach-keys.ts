import { usage } from '../../api/index.ts';

const CONTROL_SIGNS = '@abcdefghijklmnopqrstuvwxyz[\\]^_';

/**
 * Parses `ctrl-p,ctrl-q`: keys in the order of typing, each a character, or `ctrl-` and one of a-z @ [ \ ] ^ _.
 * Undefined for an empty text.
 * @throws {PodrunError} (usage) for a word that is no key
 */
export function parseDetachKeys(text: string): Buffer | undefined {
  if (text === '') return undefined;
  return Buffer.from(text.split(',').map((key) => byteOf(key, text)));
}

function byteOf(key: string, text: string): number {
  if (key.length === 1 && key >= ' ' && key <= '~') return key.charCodeAt(0);
  const sign = /^ctrl-(.)$/i.exec(key)?.[1]?.toLowerCase();
  const code = sign === undefined ? -1 : CONTROL_SIGNS.indexOf(sign);
  if (code >= 0) return code;
  throw usage(
    `invalid detach keys (${text}): ${JSON.stringify(key)} is no key`,
    'Keys are written like ctrl-p,ctrl-q or ctrl-a,d.',
  );
}

/**
 * Finds a sequence of keys in the input. Holds back a possible beginning of the sequence until the next key decides.
 */
export class DetachKeys {
  readonly #keys: Buffer;
  /** The last bytes, when they are a beginning of the sequence. */
  #held: readonly number[] = [];

  constructor(keys: Buffer) {
    this.#keys = keys;
  }

  /**
   * The bytes to pass to the container; `isDetached` when the sequence is complete. Bytes behind the sequence are
   * dropped.
   */
  take(typed: Buffer): { readonly input: Buffer; readonly isDetached: boolean } {
    const out: number[] = [];
    for (const byte of typed) {
      const seen = [...this.#held, byte];
      const start = seen.findIndex((_, index) => seen.slice(index).every((value, at) => value === this.#keys[at]));
      out.push(...(start < 0 ? seen : seen.slice(0, start)));
      this.#held = start < 0 ? [] : seen.slice(start);
      if (this.#held.length === this.#keys.length) return { input: Buffer.from(out), isDetached: true };
    }
    return { input: Buffer.from(out), isDetached: false };
  }
}
