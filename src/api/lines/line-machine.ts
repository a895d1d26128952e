import { moduleOf } from './assembly.ts';
import { lineCode, OFFSETS } from './line-code.ts';

/** The used part of WebAssembly, which Node's types do not contain. */
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
/** The length of a record's time with the blank after it. */
const TIME_BYTES = 31;

/** The most bytes per call, and the length of the longest line. */
const INPUT_BYTES_MAX = OFFSETS.output - OFFSETS.input - 1024;
const HEAD_BYTES_MAX = OFFSETS.input - OFFSETS.head - 16;

/** The style in which the contents of log records are shown. */
export interface ContentsStyle {
  /** The prefix of each line, which {@link LineMachine.fits} must accept. */
  readonly prefix: Uint8Array;
  readonly timestamps: boolean;
  /** Skips records before this time: 30 bytes, or none. */
  readonly since: Uint8Array;
}

/**
 * Processes many lines at once, about ten times as fast as one call per line. The results follow each other in `output`
 * until `take`.
 *
 * All sizes are fixed: callers process longer lines and odd records themselves.
 */
export class LineMachine {
  readonly #code: LineExports;
  readonly #bytes: Uint8Array;
  readonly #words: Uint32Array;
  #out = OFFSETS.output;
  #head: Uint8Array | undefined;

  private constructor(code: LineExports) {
    this.#code = code;
    this.#bytes = new Uint8Array(code.memory.buffer);
    this.#words = new Uint32Array(code.memory.buffer);
  }

  static #only: LineMachine | undefined;
  static #hasTried = false;

  /** The instance of this process. Undefined: V8 has no compiler or not enough memory. */
  static get(): LineMachine | undefined {
    if (this.#hasTried) return this.#only;
    this.#hasTried = true;
    try {
      const module = new WebAssembly.Module(moduleOf(Math.ceil(OFFSETS.end / PAGE_BYTES), lineCode()));
      this.#only = new LineMachine(new WebAssembly.Instance(module).exports as LineExports);
    } catch {
      // Callers work without a LineMachine.
    }
    return this.#only;
  }

  /** True when this may be a head or a prefix. */
  static fits(head: Uint8Array): boolean {
    return head.length <= HEAD_BYTES_MAX;
  }

  /**
   * Adds whole lines with a head before each. Returns the number of bytes taken: fewer than all when the output is
   * full, or before a line that is longer than `lineMax`, newline included.
   * @param lines ends with a newline
   */
  addLines(lines: Uint8Array, head: Uint8Array, lineMax: number): number {
    let taken = 0;
    while (taken < lines.length && !this.isFull) {
      const end = this.#load(lines, taken);
      if (end === OFFSETS.input) break;
      const headEnd = this.#setHead(head);
      this.#out = this.#code.prefix(OFFSETS.input, end, this.#out, OFFSETS.outputFull, headEnd, lineMax);
      const stoppedAt = this.#words[OFFSETS.stoppedAt / 4] ?? 0;
      taken += stoppedAt - OFFSETS.input;
      if (stoppedAt < end) break;
    }
    return taken;
  }

  /**
   * Adds the contents of log records (see cri-line.ts): lines and pieces of lines. Returns the number of bytes taken,
   * and whether the next record begins a line. Takes fewer bytes than all when the output is full, or before a record
   * in another form than podrun's own.
   * @param records ends with a newline
   */
  addContents(
    records: Uint8Array,
    { prefix, timestamps, since }: ContentsStyle,
    isLineStart: boolean,
  ): { readonly taken: number; readonly isLineStart: boolean } {
    const end = this.#load(records, 0);
    if (end === OFFSETS.input || this.isFull) return { taken: 0, isLineStart };
    const headEnd = this.#setHead(prefix);
    this.#bytes.set(since, OFFSETS.since);
    const flags = [timestamps ? TIME_BYTES : 0, since.length, isLineStart ? 1 : 0] as const;
    this.#out = this.#code.contents(OFFSETS.input, end, this.#out, OFFSETS.outputFull, headEnd, ...flags);
    return {
      taken: (this.#words[OFFSETS.stoppedAt / 4] ?? 0) - OFFSETS.input,
      isLineStart: this.#words[OFFSETS.isLineStart / 4] === 1,
    };
  }

  /** True when these bytes can be added. */
  hasRoomFor({ length }: Uint8Array): boolean {
    return this.#out + length <= OFFSETS.end;
  }

  /** Adds bytes unchanged. There must be room. */
  add(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#out);
    this.#out += bytes.length;
  }

  /** True when `take` must be called before more is added. */
  get isFull(): boolean {
    return this.#out >= OFFSETS.outputFull;
  }

  /** The added bytes, valid until more are added. */
  take(): Uint8Array {
    const bytes = this.#bytes.subarray(OFFSETS.output, this.#out);
    this.#out = OFFSETS.output;
    return bytes;
  }

  /** Loads as many whole lines as there is room for. Returns their end. */
  #load(lines: Uint8Array, from: number): number {
    let end = lines.length;
    if (end - from > INPUT_BYTES_MAX) end = lines.lastIndexOf(NEWLINE, from + INPUT_BYTES_MAX - 1) + 1;
    if (end <= from) return OFFSETS.input;
    this.#bytes.set(from === 0 && end === lines.length ? lines : lines.subarray(from, end), OFFSETS.input);
    return OFFSETS.input + end - from;
  }

  #setHead(head: Uint8Array): number {
    if (head !== this.#head) this.#bytes.set(head, OFFSETS.head);
    this.#head = head;
    return OFFSETS.head + head.length;
  }
}
