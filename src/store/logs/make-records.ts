import { type LogStream, recordHead } from './cri-line.ts';

/** The longest part of a line in one record, as in containerd. */
const PIECE_BYTES_MAX = 16 * 1024;

const NEWLINE = 10;

/** The memory of all results, behind which the chunk is copied: new memory for each chunk costs as much time. */
let shared = Buffer.alloc(0);

/** The fields that all records of a chunk share. */
export interface RecordOrigin {
  /** See recordTime. */
  readonly time: string;
  readonly stream: LogStream;
  /** See recordHead. */
  readonly tags?: string | undefined;
}

/**
 * Formats a chunk of output as records, one for each line or part of a line. The result is valid until the next call.
 *
 * The chunk is first copied to the end of the buffer that gets the records, because `copyWithin` is the fastest way of
 * Node to copy a line: `Buffer.copy` takes three times as long, and `subarray` makes an object for each line.
 */
export function makeRecords(chunk: Buffer, { time, stream, tags }: RecordOrigin): Buffer {
  const lineHead = Buffer.from(recordHead(time, stream, true, tags));
  const pieceHead = Buffer.from(recordHead(time, stream, false, tags));
  // Each byte may be a newline: then it becomes a record of its own.
  const bytesMax = chunk.length * (lineHead.length + 2);
  if (shared.length < bytesMax + chunk.length) shared = Buffer.allocUnsafeSlow(bytesMax + chunk.length);
  const records = shared;
  let start = records.length - chunk.length;
  records.set(chunk, start);
  let length = 0;
  while (start < records.length) {
    const lineEnd = records.indexOf(NEWLINE, start) + 1;
    const isLine = lineEnd > 0 && lineEnd - start <= PIECE_BYTES_MAX + 1;
    const end = isLine ? lineEnd : Math.min(start + PIECE_BYTES_MAX, records.length);
    records.set(isLine ? lineHead : pieceHead, length);
    length += lineHead.length;
    records.copyWithin(length, start, end);
    length += end - start;
    if (!isLine) records[length++] = NEWLINE;
    start = end;
  }
  return records.subarray(0, length);
}
