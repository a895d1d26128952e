import { formatTime } from '../api/time.ts';

/**
 * Lines of a container log as container runtimes write them: `TIME STREAM TAG CONTENT`. The tag is `F` for the (rest
 * of a) line of output and `P` for a piece of one whose end is still to come.
 * @see https://github.com/kubernetes/design-proposals-archive/blob/main/node/kubelet-cri-logging.md
 */
export type LogStream = 'stdout' | 'stderr';

/** One line of a log file. */
export interface LogRecord {
  /** RFC 3339 in UTC with nine digits: compares as text. */
  readonly time: string;
  readonly stream: LogStream;
  /** Does the line of output end here? */
  readonly isEnd: boolean;
  /** The output, byte for byte, without the newline. */
  readonly content: Buffer;
}

const BLANK = 32;

/** The time of a record. Wall time has microseconds; the three digits below are zeros. */
export function recordTime(wallMs: number): string {
  return formatTime(wallMs).replace('Z', '000Z');
}

/** What stands before the content. */
export function recordHead(time: string, stream: LogStream, isEnd: boolean): Buffer {
  return Buffer.from(`${time} ${stream} ${isEnd ? 'F' : 'P'} `, 'latin1');
}

/** Reads a line of a log file, without its newline; undefined for one that was torn by a crash. */
export function parseRecord(line: Buffer): LogRecord | undefined {
  const afterTime = line.indexOf(BLANK);
  const afterStream = line.indexOf(BLANK, afterTime + 1);
  const afterTag = line.indexOf(BLANK, afterStream + 1);
  if (afterTime < 0 || afterStream < 0 || afterTag < 0) return undefined;
  const stream = line.toString('latin1', afterTime + 1, afterStream);
  const tag = line.toString('latin1', afterStream + 1, afterTag);
  if ((stream !== 'stdout' && stream !== 'stderr') || (tag !== 'F' && tag !== 'P')) return undefined;
  return {
    time: line.toString('latin1', 0, afterTime),
    stream,
    isEnd: tag === 'F',
    content: line.subarray(afterTag + 1),
  };
}
