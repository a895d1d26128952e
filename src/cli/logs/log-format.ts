import type { LogRecord } from '../../store/logs/cri-line.ts';

export interface LogFormatOptions {
  readonly timestamps: boolean;
  /** Stands before each line: `[pod/web/main] `. */
  readonly prefix: string;
  /** Of the output, with timestamps and without prefixes. */
  readonly limitBytes: number | undefined;
}

const NEWLINE: Buffer = Buffer.from('\n');

/**
 * Makes the output of `logs` of the records of one log, byte for byte what the container wrote: a last line without an
 * end gets none. What hooks and probes write has their name in front. Source: pkg/kubelet/kuberuntime/logs/logs.go.
 */
export class LogFormat {
  readonly #timestamps: boolean;
  readonly #prefix: Buffer;
  #bytesLeft: number;
  #isLineStart = true;

  constructor({ timestamps, prefix, limitBytes }: LogFormatOptions) {
    this.#timestamps = timestamps;
    this.#prefix = Buffer.from(prefix);
    this.#bytesLeft = limitBytes ?? Number.POSITIVE_INFINITY;
  }

  /** Has everything been printed that may be? */
  get isFull(): boolean {
    return this.#bytesLeft === 0;
  }

  format(records: readonly LogRecord[]): Buffer {
    return Buffer.concat(records.flatMap((record) => this.#formatOne(record)));
  }

  #formatOne({ time, content, isEnd, handler, isNote }: LogRecord): Buffer[] {
    if (this.isFull) return [];
    const prefix = this.#isLineStart ? [this.#prefix] : [];
    const stamp = this.#timestamps && this.#isLineStart ? [Buffer.from(`${time} `)] : [];
    // Notes stand out as those of `curl -v` do.
    const speaker = handler !== undefined && this.#isLineStart ? [`[${handler}] ${isNote ? '* ' : ''}`] : [];
    this.#isLineStart = isEnd;
    const head = [...stamp, ...speaker.map((text) => Buffer.from(text))];
    return [...prefix, this.#limit(Buffer.concat([...head, content, ...(isEnd ? [NEWLINE] : [])]))];
  }

  #limit(bytes: Buffer): Buffer {
    const limited = bytes.subarray(0, Math.min(bytes.length, this.#bytesLeft));
    this.#bytesLeft -= limited.length;
    return limited;
  }
}
