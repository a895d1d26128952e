import { formatTime } from '../../api/index.ts';

/**
 * Lines of a container log in the format of container runtimes: `TIME STREAM TAG CONTENT`. The tag is `F` for a line of
 * output, or the last part of a line, and `P` for an earlier part. More tags may follow behind colons, which readers of
 * the format skip: in the log of hooks and probes they name the hook or probe.
 * @see https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md
 */
export type LogStream = 'stdout' | 'stderr';

/** One line of a log file. */
export interface LogRecord {
  /** RFC 3339 in UTC with nine digits: such texts compare like times. */
  readonly time: string;
  readonly stream: LogStream;
  /** True when the line of output ends here. */
  readonly isEnd: boolean;
  /** The hook or probe, for example `preStop`. Only in the log of hooks and probes. */
  readonly handler?: string | undefined;
  /** True for a note of podrun about the hook or probe. */
  readonly isNote?: boolean;
  /** The output without the newline, in Latin-1: a character for each byte. */
  readonly content: string;
}

const NOTE_TAG = 'note';

/** The time of a record. Wall time has microseconds, so the last three digits are zeros. */
export function recordTime(wallMs: number): string {
  return formatTime(wallMs).replace('Z', '000Z');
}

/**
 * The text before the content of a record.
 * @param tags more tags, each behind a colon: `:preStop`, `:preStop:note`
 */
export function recordHead(time: string, stream: LogStream, isEnd: boolean, tags = ''): string {
  return `${time} ${stream} ${isEnd ? 'F' : 'P'}${tags} `;
}

/** The tags of the output of a hook or probe, or of a note about it. */
export function handlerTags(handler: string, isNote: boolean): string {
  return isNote ? `:${handler}:${NOTE_TAG}` : `:${handler}`;
}

/** The records in whole lines of a log file. Leaves out lines that a crash cut short. */
export function parseRecords(lines: Buffer): LogRecord[] {
  const text = lines.toString('latin1');
  const records: LogRecord[] = [];
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    const record = parseRecord(text.slice(start, end));
    if (record !== undefined) records.push(record);
    start = end + 1;
  }
  return records;
}

/**
 * Parses a line of a log file, in Latin-1 and without its newline. Undefined for a line that a crash cut short. A log
 * has many lines: this reads 1,000 MB/s, a regular expression 500.
 */
export function parseRecord(line: string): LogRecord | undefined {
  const afterTime = line.indexOf(' ');
  const afterStream = line.indexOf(' ', afterTime + 1);
  const afterTag = line.indexOf(' ', afterStream + 1);
  if (afterTime < 0 || afterStream < 0 || afterTag < 0) return undefined;
  const stream = line.slice(afterTime + 1, afterStream);
  const tags = line.slice(afterStream + 1, afterTag);
  const [tag, handler, note] = tags.length === 1 ? [tags] : tags.split(':');
  if ((stream !== 'stdout' && stream !== 'stderr') || (tag !== 'F' && tag !== 'P')) return undefined;
  return {
    time: line.slice(0, afterTime),
    stream,
    isEnd: tag === 'F',
    handler,
    isNote: note === NOTE_TAG,
    content: line.slice(afterTag + 1),
  };
}
