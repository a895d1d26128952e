import { LineMachine } from '../../api/lines/line-machine.ts';
import { linesOf } from '../../store/feed/line-cursor.ts';
import { type LogRecord, parseRecord, recordTime } from '../../store/logs/cri-line.ts';

export interface LogFormatOptions {
  readonly timestamps: boolean;
  /** The text before each line: `[pod/web/main] `. */
  readonly prefix: string;
  /** The limit counts the output with timestamps, without prefixes. */
  readonly limitBytes: number | undefined;
  /** Leaves out earlier lines. Milliseconds since 1970. */
  readonly sinceMs: number | undefined;
}

const NEWLINE: Buffer = Buffer.from('\n');

/**
 * Formats the records of one log for `logs`, byte for byte as the container wrote them: a last line without a newline
 * gets none. Lines of hooks and probes have their name in front. Source: pkg/kubelet/kuberuntime/logs/logs.go.
 */
export class LogFormat {
  readonly #timestamps: boolean;
  readonly #prefix: Buffer;
  readonly #since: string;
  readonly #sinceBytes: Buffer;
  readonly #machine: LineMachine | undefined;
  #bytesLeft: number;
  #isLineStart = true;

  constructor({ timestamps, prefix, limitBytes, sinceMs }: LogFormatOptions) {
    this.#timestamps = timestamps;
    this.#prefix = Buffer.from(prefix);
    this.#since = sinceMs === undefined ? '' : recordTime(sinceMs);
    this.#sinceBytes = Buffer.from(this.#since, 'latin1');
    this.#bytesLeft = limitBytes ?? Number.POSITIVE_INFINITY;
    const countsAll = limitBytes === undefined || prefix === '';
    this.#machine = countsAll && LineMachine.fits(this.#prefix) ? LineMachine.get() : undefined;
  }

  /** True when the limit is reached. */
  get isFull(): boolean {
    return this.#bytesLeft === 0;
  }

  /** @param records bytes of the log file, with newlines */
  format(records: Buffer): Buffer {
    const pieces: Uint8Array[] = [];
    let at = 0;
    for (let taken = 1; taken > 0 && at < records.length && !this.isFull; at += taken) {
      taken = this.#formatMany(records.subarray(at), pieces);
    }
    // The machine leaves lines in another form: of hooks and probes, and lines that a crash has torn.
    for (const line of linesOf(records.subarray(at))) {
      const record = parseRecord(line);
      if (record !== undefined && record.time >= this.#since) pieces.push(...this.#formatOne(record));
    }
    return Buffer.concat(pieces);
  }

  /** Formats as many records as the machine can. Answers their bytes. */
  #formatMany(records: Buffer, pieces: Uint8Array[]): number {
    const machine = this.#machine;
    if (machine === undefined) return 0;
    const style = { prefix: this.#prefix, timestamps: this.#timestamps, since: this.#sinceBytes };
    const { taken, isLineStart } = machine.addContents(records, style, this.#isLineStart);
    this.#isLineStart = isLineStart;
    const bytes = machine.take();
    if (bytes.length > 0) pieces.push(Buffer.from(this.#limit(bytes)));
    return taken;
  }

  #formatOne({ time, content, isEnd, handler, isNote }: LogRecord): Uint8Array[] {
    if (this.isFull) return [];
    const prefix = this.#isLineStart ? [this.#prefix] : [];
    const stamp = this.#timestamps && this.#isLineStart ? [Buffer.from(`${time} `)] : [];
    // Notes are marked as in `curl -v`.
    const speaker = handler !== undefined && this.#isLineStart ? [`[${handler}] ${isNote ? '* ' : ''}`] : [];
    this.#isLineStart = isEnd;
    const head = [...stamp, ...speaker.map((text) => Buffer.from(text))];
    return [...prefix, this.#limit(Buffer.concat([...head, content, ...(isEnd ? [NEWLINE] : [])]))];
  }

  #limit(bytes: Uint8Array): Uint8Array {
    const limited = bytes.subarray(0, Math.min(bytes.length, this.#bytesLeft));
    this.#bytesLeft -= limited.length;
    return limited;
  }
}
