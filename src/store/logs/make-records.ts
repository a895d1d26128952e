import { type LogStream, recordHead } from './cri-line.ts';

/** The longest part of a line in one record, as in containerd. */
const PIECE_BYTES_MAX = 16 * 1024;

/** The fields that all records of a chunk share. */
export interface RecordOrigin {
  /** See recordTime. */
  readonly time: string;
  readonly stream: LogStream;
  /** See recordHead. */
  readonly tags?: string | undefined;
}

/**
 * Formats a chunk of output as records, one for each line or part of a line. One long string is the fastest simple
 * form: an array of strings, or copies into a buffer, take half as long again.
 */
export function makeRecords(chunk: Buffer, { time, stream, tags }: RecordOrigin): Buffer {
  const lineHead = recordHead(time, stream, true, tags);
  const pieceHead = recordHead(time, stream, false, tags);
  // Latin-1 has a character for every byte.
  const text = chunk.toString('latin1');
  let records = '';
  for (let start = 0; start < text.length;) {
    const lineEnd = text.indexOf('\n', start) + 1;
    if (lineEnd > 0 && lineEnd - start <= PIECE_BYTES_MAX + 1) {
      records += lineHead;
      records += text.slice(start, lineEnd);
      start = lineEnd;
    } else {
      const pieceEnd = Math.min(start + PIECE_BYTES_MAX, text.length);
      records += `${pieceHead}${text.slice(start, pieceEnd)}\n`;
      start = pieceEnd;
    }
  }
  return Buffer.from(records, 'latin1');
}
