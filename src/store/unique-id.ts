import { closeSync, openSync, readSync } from 'node:fs';

const RANDOM_BYTES = '/dev/urandom';
const UID_BYTES = 16;
const UIDS_AT_A_TIME = 64;

let bytes: Buffer = Buffer.alloc(0);

/**
 * Makes a UUID of version 4 (RFC 9562). Reads the kernel's random numbers for many at a time: every Event has a uid.
 * Loading the crypto module instead would add milliseconds to every start.
 */
export function newUid(): string {
  try {
    if (bytes.length < UID_BYTES) bytes = randomBytes(UIDS_AT_A_TIME * UID_BYTES);
  } catch {
    return globalThis.crypto.randomUUID();
  }
  const own = bytes.subarray(0, UID_BYTES);
  bytes = bytes.subarray(UID_BYTES);
  own.writeUInt8((own.readUInt8(6) & 0x0f) | 0x40, 6);
  own.writeUInt8((own.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = own.toString('hex');
  return [[0, 8], [8, 12], [12, 16], [16, 20], [20]].map(([from, to]) => hex.slice(from, to)).join('-');
}

/** @throws {Error} when the device is missing or returns too little */
function randomBytes(count: number): Buffer {
  const file = openSync(RANDOM_BYTES, 'r');
  try {
    const read = Buffer.alloc(count);
    if (readSync(file, read) < count) throw new Error(`${RANDOM_BYTES} gives too little`);
    return read;
  } finally {
    closeSync(file);
  }
}
