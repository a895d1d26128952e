import { moduleOf } from './assembly.ts';
import { lineCode, PLACES } from './line-code.ts';

/** As much of it as is used here; the types of Node do not have it. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

interface LineExports {
  readonly memory: { readonly buffer: ArrayBuffer };
  prefix(at: number, end: number, out: number, full: number, headEnd: number, lineMax: number): number;
  contents(
    ...[at, end, out, full, headEnd, timeBytes, hasSince, isStart]: [
      ...Parameters<LineExports['prefix']>,
      number,
      number,
    ]
  ): number;
}

const PAGE_BYTES = 64 * 1024;
const NEWLINE = 10;
/** Of a record, with the blank behind it. */
const TIME_BYTES = 31;

/** Bytes that are taken at a time, at the most: a line may be as long. */
const INPUT_BYTES_MAX = PLACES.output - PLACES.input - 1024;
const HEAD_BYTES_MAX = PLACES.input - PLACES.head - 16;

/** How the contents of log records are shown. */
export interface ContentsStyle {
  /** Stands before each line; no longer than {@link LineMachine.fits} says. */
  readonly prefix: Uint8Array;
  readonly timestamps: boolean;
  /** Records of an earlier time are passed over: 30 bytes, or none. */
  readonly since: Uint8Array;
}

/**
 * Works through many lines at once: some ten times as fast as a call for each line would be. What is added lies one
 * behind the other in `output`, until it is taken.
 *
 * It knows one size of everything; who has something else (a line that is too long, an odd record) does that by hand.
 */
export class LineMachine {
  readonly #code: LineExports;
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  #out = PLACES.output;
  #head: Uint8Array | undefined;

  private constructor(code: LineExports) {
    this.#code = code;
    this.#bytes = new Uint8Array(code.memory.buffer);
    this.#words = new Uint32Array(code.memory.buffer);
  }

  static #only: LineMachine | undefined;
  static #hasTried = false;

  /** The one of this process; undefined where it cannot be: V8 runs without a compiler, or has no room for it. */
  static get(): LineMachine | undefined {
    if (this.#hasTried) return this.#only;
    this.#hasTried = true;
    try {
      const module = new WebAssembly.Module(moduleOf(Math.ceil(PLACES.end / PAGE_BYTES), lineCode()));
      this.#only = new LineMachine(new WebAssembly.Instance(module).exports as LineExports);
    } catch {
      // Those who call do without.
    }
    return this.#only;
  }

  /** Can this be a head, or a prefix? */
  static fits(head: Uint8Array): boolean {
    return head.length <= HEAD_BYTES_MAX;
  }

  /**
   * Adds whole lines, each behind a head. Answers how many bytes it has taken: fewer when the output is full, or when
   * the next line, with its newline, is longer than `lineMax`.
   * @param lines ends with a newline
   */
  addLines(lines: Uint8Array, head: Uint8Array, lineMax: number): number {
    let taken = 0;
    while (taken < lines.length && !this.isFull) {
      const end = this.#load(lines, taken);
      if (end === PLACES.input) break;
      const headEnd = this.#setHead(head);
      this.#out = this.#code.prefix(PLACES.input, end, this.#out, PLACES.outputFull, headEnd, lineMax);
      const stoppedAt = this.#words[PLACES.stoppedAt / 4] ?? 0;
      taken += stoppedAt - PLACES.input;
      if (stoppedAt < end) break;
    }
    return taken;
  }

  /**
   * Adds what records of a log (see cri-line.ts) hold: their lines and pieces of lines. Answers how many bytes it has
   * taken, and whether a line begins with the next one: fewer when the output is full, or before a record that is not
   * as podrun itself writes them.
   * @param records ends with a newline
   */
  addContents(
    records: Uint8Array,
    { prefix, timestamps, since }: ContentsStyle,
    isLineStart: boolean,
  ): { readonly taken: number; readonly isLineStart: boolean } {
    const end = this.#load(records, 0);
    if (end === PLACES.input || this.isFull) return { taken: 0, isLineStart };
    const headEnd = this.#setHead(prefix);
    this.#bytes.set(since, PLACES.since);
    const flags = [timestamps ? TIME_BYTES : 0, since.length, isLineStart ? 1 : 0] as const;
    this.#out = this.#code.contents(PLACES.input, end, this.#out, PLACES.outputFull, headEnd, ...flags);
    return {
      taken: (this.#words[PLACES.stoppedAt / 4] ?? 0) - PLACES.input,
      isLineStart: this.#words[PLACES.isLineStart / 4] === 1,
    };
  }

  /** Can these be added as they are? */
  hasRoomFor({ length }: Uint8Array): boolean {
    return this.#out + length <= PLACES.end;
  }

  /** Adds bytes as they are, when there is room for them. */
  add(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#out);
    this.#out += bytes.length;
  }

  /** Must be taken before more is added. */
  get isFull(): boolean {
    return this.#out >= PLACES.outputFull;
  }

  /** What has been added. Valid until more is. */
  take(): Uint8Array {
    const bytes = this.#bytes.subarray(PLACES.output, this.#out);
    this.#out = PLACES.output;
    return bytes;
  }

  /** As many whole lines from there on as there is room for; answers where they end. */
  #load(lines: Uint8Array, from: number): number {
    let end = lines.length;
    if (end - from > INPUT_BYTES_MAX) end = lines.lastIndexOf(NEWLINE, from + INPUT_BYTES_MAX - 1) + 1;
    if (end <= from) return PLACES.input;
    this.#bytes.set(from === 0 && end === lines.length ? lines : lines.subarray(from, end), PLACES.input);
    return PLACES.input + end - from;
  }

  #setHead(head: Uint8Array): number {
    if (head !== this.#head) this.#bytes.set(head, PLACES.head);
    this.#head = head;
    return PLACES.head + head.length;
  }
}
