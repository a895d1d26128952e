import { type LogStream, recordHead } from './cri-line.ts';

/** The longest part of a line in one record, as in containerd. */
const PIECE_BYTES_MAX = 16 * 1024;

const NEWLINE = 10;

/** The bytes of a word: a copy takes this many at a time. */
const WORD = 4;

/** The memory of all results: new memory for each chunk costs as much time as the copying. */
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
 */
export function makeRecords(chunk: Buffer, { time, stream, tags }: RecordOrigin): Buffer {
  const lineHead = Buffer.from(recordHead(time, stream, true, tags));
  const pieceHead = Buffer.from(recordHead(time, stream, false, tags));
  // Each byte may be a newline.
  const bytesMax = chunk.length * (lineHead.length + 2);
  if (shared.length < bytesMax) shared = Buffer.allocUnsafeSlow(bytesMax);
  const records = shared;
  const from = viewOf(chunk);
  const to = viewOf(records);
  let length = 0;
  for (let start = 0; start < chunk.length;) {
    const lineEnd = chunk.indexOf(NEWLINE, start) + 1;
    const isLine = lineEnd > 0 && lineEnd - start <= PIECE_BYTES_MAX + 1;
    const end = isLine ? lineEnd : Math.min(start + PIECE_BYTES_MAX, chunk.length);
    records.set(isLine ? lineHead : pieceHead, length);
    length += lineHead.length;
    copy(from, start, end, to, length);
    length += end - start;
    if (!isLine) records[length++] = NEWLINE;
    start = end;
  }
  return records.subarray(0, length);
}

/** Does what `Buffer.copy` does. For a line of 100 bytes, the call of `Buffer.copy` takes longer than this copy. */
function copy(from: DataView, start: number, end: number, to: DataView, place: number): void {
  const ahead = place - start;
  const lastWord = end - WORD;
  if (lastWord < start) {
    for (let at = start; at < end; at++) to.setUint8(at + ahead, from.getUint8(at));
    return;
  }
  for (let at = start; at < lastWord; at += WORD) to.setInt32(at + ahead, from.getInt32(at));
  // The last word may overlap the one before.
  to.setInt32(lastWord + ahead, from.getInt32(lastWord));
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}
