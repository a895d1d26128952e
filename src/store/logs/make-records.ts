import { LineMachine } from '../../api/lines/line-machine.ts';
import { type LogStream, recordHead } from './cri-line.ts';

/** The longest part of a line in one record, as in containerd. */
const PIECE_BYTES_MAX = 16 * 1024;

const NEWLINE = 10;

/** The smallest chunk for which WebAssembly is worth its start-up. */
const MACHINE_BYTES_MIN = 2048;

/** The fields that all records of a chunk share. */
export interface RecordOrigin {
  /** See recordTime. */
  readonly time: string;
  readonly stream: LogStream;
  /** See recordHead. */
  readonly tags?: string | undefined;
}

/**
 * Formats a chunk of output as records, one for each line or part of a line.
 * @param use is called with whole records, once or several times; they are valid only during the call
 */
export function makeRecords(chunk: Buffer, origin: RecordOrigin, use: (records: Uint8Array) => void): void {
  const heads = headsOf(origin);
  const machine = chunk.length < MACHINE_BYTES_MIN ? undefined : LineMachine.get();
  if (machine === undefined || !LineMachine.fits(heads.end)) return use(recordsByHand(chunk, heads));
  const linesEnd = chunk.lastIndexOf(NEWLINE) + 1;
  for (let start = 0; start < chunk.length;) {
    if (start < linesEnd) start += machine.addLines(chunk.subarray(start, linesEnd), heads.end, PIECE_BYTES_MAX + 1);
    if (machine.isFull) use(machine.take());
    else if (start < chunk.length) start += addLongLine(machine, chunk.subarray(start), heads, use);
  }
  const last = machine.take();
  if (last.length > 0) use(last);
}

/** Adds the first line, which is too long for the machine or incomplete. Returns its length. */
function addLongLine(
  machine: LineMachine,
  chunk: Buffer,
  heads: RecordHeads,
  use: (records: Uint8Array) => void,
): number {
  const newline = chunk.indexOf(NEWLINE);
  const length = newline < 0 ? chunk.length : newline + 1;
  const records = recordsByHand(chunk.subarray(0, length), heads);
  if (machine.hasRoomFor(records)) machine.add(records);
  else {
    const before = machine.take();
    if (before.length > 0) use(before);
    use(records);
  }
  return length;
}

/** The texts before the content of a record: for the end of a line, and for an earlier part. */
interface RecordHeads {
  readonly end: Buffer;
  /** Made when needed: few lines are long or lack a newline. */
  readonly piece: () => Buffer;
}

function headsOf({ time, stream, tags }: RecordOrigin): RecordHeads {
  return { end: recordHead(time, stream, true, tags), piece: () => recordHead(time, stream, false, tags) };
}

function recordsByHand(chunk: Buffer, heads: RecordHeads): Buffer {
  const records = Buffer.allocUnsafe(chunk.length + countRecordsMax(chunk) * (heads.end.length + 1));
  let length = 0;
  const add = (head: Buffer, start: number, end: number): void => {
    length += head.copy(records, length);
    length += chunk.copy(records, length, start, end);
    records[length++] = NEWLINE;
  };
  for (let start = 0; start < chunk.length;) {
    const newline = chunk.indexOf(NEWLINE, start);
    const lineEnd = newline < 0 ? chunk.length : newline;
    for (; lineEnd - start > PIECE_BYTES_MAX; start += PIECE_BYTES_MAX) {
      add(heads.piece(), start, start + PIECE_BYTES_MAX);
    }
    add(newline < 0 ? heads.piece() : heads.end, start, lineEnd);
    start = lineEnd + 1;
  }
  return records.subarray(0, length);
}

function countRecordsMax(chunk: Buffer): number {
  let count = 1 + Math.ceil(chunk.length / PIECE_BYTES_MAX);
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}
