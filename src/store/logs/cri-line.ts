import { formatTime } from '../../api/time.ts';

/**
 * Lines of a container log as container runtimes write them: `TIME STREAM TAG CONTENT`. The tag is `F` for the (rest
 * of a) line of output and `P` for a piece of one whose end is still to come. More tags may follow behind colons, which
 * readers of the format pass over: in the log of hooks and probes they say who speaks.
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
  /** In the log of hooks and probes: who said it, for example `preStop`. */
  readonly handler?: string | undefined;
  /** In that log: said by podrun about the handler. */
  readonly isNote?: boolean;
  /** The output, byte for byte, without the newline. */
  readonly content: Buffer;
}

const BLANK = 32;
const NOTE_TAG = 'note';

/** The time of a record. Wall time has microseconds; the three digits below are zeros. */
export function recordTime(wallMs: number): string {
  return formatTime(wallMs).replace('Z', '000Z');
}

/**
 * What stands before the content.
 * @param tags more tags, each behind a colon: `:preStop`, `:preStop:note`
 */
export function recordHead(time: string, stream: LogStream, isEnd: boolean, tags = ''): Buffer {
  return Buffer.from(`${time} ${stream} ${isEnd ? 'F' : 'P'}${tags} `, 'latin1');
}

/** The tags of what a hook or probe says, or of a note about it. */
export function handlerTags(handler: string, isNote: boolean): string {
  return isNote ? `:${handler}:${NOTE_TAG}` : `:${handler}`;
}

/** Reads a line of a log file, without its newline; undefined for one that was torn by a crash. */
export function parseRecord(line: Buffer): LogRecord | undefined {
  const afterTime = line.indexOf(BLANK);
  const afterStream = line.indexOf(BLANK, afterTime + 1);
  const afterTag = line.indexOf(BLANK, afterStream + 1);
  if (afterTime < 0 || afterStream < 0 || afterTag < 0) return undefined;
  const stream = line.toString('latin1', afterTime + 1, afterStream);
  const [tag, handler, note] = line.toString('latin1', afterStream + 1, afterTag).split(':');
  if ((stream !== 'stdout' && stream !== 'stderr') || (tag !== 'F' && tag !== 'P')) return undefined;
  return {
    time: line.toString('latin1', 0, afterTime),
    stream,
    isEnd: tag === 'F',
    ...(handler === undefined ? {} : { handler, isNote: note === NOTE_TAG }),
    content: line.subarray(afterTag + 1),
  };
}
