import type { LogRecord } from './cri-line.ts';

export interface LogFormatOptions {
  readonly timestamps: boolean;
  /** The text before each line: `[pod/web/main] `. */
  readonly prefix: string;
  /** The limit counts the output with timestamps, without prefixes. */
  readonly limitBytes: number | undefined;
  /** Only this stream. Undefined: both. */
  readonly stream?: LogRecord['stream'] | undefined;
}

/**
 * Formats the records of one log for `logs`, byte for byte as the container wrote them: a last line without a newline
 * gets none. Lines of hooks and probes have their name in front. Source: pkg/kubelet/kuberuntime/logs/logs.go.
 */
export class LogFormat {
  readonly #timestamps: boolean;
  readonly #prefix: string;
  readonly #stream: LogRecord['stream'] | undefined;
  #bytesLeft: number;
  #isLineStart = true;

  constructor({ timestamps, prefix, limitBytes, stream }: LogFormatOptions) {
    this.#timestamps = timestamps;
    this.#prefix = prefix;
    this.#stream = stream;
    this.#bytesLeft = limitBytes ?? Number.POSITIVE_INFINITY;
  }

  /** True when the limit is reached. */
  get isFull(): boolean {
    return this.#bytesLeft === 0;
  }

  format(records: readonly LogRecord[]): Buffer {
    let text = '';
    for (const record of records) {
      if (this.#stream !== undefined && record.stream !== this.#stream) continue;
      if (!this.isFull) text += this.#formatOne(record);
    }
    return Buffer.from(text, 'latin1');
  }

  #formatOne(record: LogRecord): string {
    const isLineStart = this.#isLineStart;
    this.#isLineStart = record.isEnd;
    const text = `${isLineStart ? this.#headOf(record) : ''}${record.content}${record.isEnd ? '\n' : ''}`;
    const limited = text.slice(0, this.#bytesLeft);
    this.#bytesLeft -= limited.length;
    return isLineStart ? `${this.#prefix}${limited}` : limited;
  }

  #headOf({ time, handler, isNote }: LogRecord): string {
    const stamp = this.#timestamps ? `${time} ` : '';
    // Notes are marked as in `curl -v`.
    return handler === undefined ? stamp : `${stamp}[${handler}] ${isNote ? '* ' : ''}`;
  }
}
