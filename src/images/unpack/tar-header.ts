/*
 * The headers of a tar archive. Names are text in Latin-1, one character for each byte, so that no name changes.
 * Source: POSIX pax "ustar Interchange Format", and the section "Basic Tar Format" of the manual of GNU tar.
 */

export const BLOCK_BYTES = 512;

/** The fields of a header that say where an entry goes and how long it is. */
export interface TarHeader {
  readonly name: string;
  readonly link: string;
  /** The type flag: `0` a file, `1` a hard link, `2` a symbolic link, `5` a folder, … */
  readonly type: string;
  readonly size: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtime: number;
}

/** The place and the width of a field. */
type Field = readonly [at: number, width: number];
const NAME: Field = [0, 100];
const MODE: Field = [100, 8];
const UID: Field = [108, 8];
const GID: Field = [116, 8];
const SIZE: Field = [124, 12];
const MTIME: Field = [136, 12];
const CHECKSUM: Field = [148, 8];
const TYPE_AT = 156;
const LINK: Field = [157, 100];
const MAGIC: Field = [257, 8];
const PREFIX: Field = [345, 155];
/** Only in archives with this magic, a prefix stands before the name: GNU tar has other fields in its place. */
const USTAR = 'ustar\0';

/** Reads a header. Undefined when its checksum or one of its numbers is wrong. */
export function parseTarHeader(block: Buffer): TarHeader | undefined {
  if (numberIn(block, CHECKSUM) !== checksumOf(block)) return undefined;
  const [mode, uid, gid, size, mtime] = [MODE, UID, GID, SIZE, MTIME].map((field) => numberIn(block, field));
  if (mode === undefined || uid === undefined || gid === undefined) return undefined;
  if (size === undefined || size < 0 || mtime === undefined) return undefined;
  const hasPrefix = block.toString('latin1', MAGIC[0], MAGIC[0] + USTAR.length) === USTAR;
  const prefix = hasPrefix ? textIn(block, PREFIX) : '';
  const name = `${prefix === '' ? '' : `${prefix}/`}${textIn(block, NAME)}`;
  const type = block.toString('latin1', TYPE_AT, TYPE_AT + 1);
  return { name, link: textIn(block, LINK), type: type === '\0' ? '0' : type, size, mode, uid, gid, mtime };
}

/** A copy of a header with another mode or size. */
export function patchTarHeader(block: Buffer, { mode, size }: { mode?: number; size?: number }): Buffer {
  const copy = Buffer.from(block);
  if (mode !== undefined) writeNumber(copy, MODE, mode);
  if (size !== undefined) writeNumber(copy, SIZE, size);
  writeChecksum(copy);
  return copy;
}

/** Makes a header. A name or link that is too long for it must stand in an entry before it. */
export function tarHeader(fields: Partial<TarHeader> & Pick<TarHeader, 'name' | 'type'>): Buffer {
  const { name, link = '', type, size = 0, mode = 0, uid = 0, gid = 0, mtime = 0 } = fields;
  const block = Buffer.alloc(BLOCK_BYTES);
  block.write(name.slice(0, NAME[1]), NAME[0], 'latin1');
  block.write(link.slice(0, LINK[1]), LINK[0], 'latin1');
  writeNumber(block, MODE, mode);
  writeNumber(block, UID, uid);
  writeNumber(block, GID, gid);
  writeNumber(block, SIZE, size);
  writeNumber(block, MTIME, mtime);
  block.write(type, TYPE_AT, 'latin1');
  block.write('ustar\u000000', MAGIC[0], 'latin1');
  writeChecksum(block);
  return block;
}

/** An entry that gives the next entry more than its header can hold: GNU's `L` and `K`, or `x` of pax. */
export function extensionEntry(type: 'L' | 'K' | 'x', content: string): Buffer {
  const bytes = Buffer.from(type === 'x' ? content : `${content}\0`, 'latin1');
  const header = tarHeader({ name: '././@LongLink', type, size: bytes.length, mode: 0o644 });
  return Buffer.concat([header, bytes, Buffer.alloc(paddingOf(bytes.length))]);
}

/** The bytes behind a content of this length up to the next block. */
export function paddingOf(size: number): number {
  return (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;
}

/** Reads the records `LENGTH KEY=VALUE\n` of pax. Undefined when they are damaged. */
export function parsePax(content: string): Map<string, string> | undefined {
  const records = new Map<string, string>();
  for (let at = 0; at < content.length;) {
    const [, digits = ''] = /^(\d{1,10}) /.exec(content.slice(at, at + 12)) ?? [];
    const end = at + Number(digits);
    const record = content.slice(at + digits.length + 1, end - 1);
    const equals = record.indexOf('=');
    if (digits === '' || end > content.length || content[end - 1] !== '\n' || equals < 1) return undefined;
    records.set(record.slice(0, equals), record.slice(equals + 1));
    at = end;
  }
  return records;
}

/** Writes records of pax. */
export function paxText(records: Iterable<readonly [string, string]>): string {
  return [...records]
    .map(([key, value]) => {
      const rest = ` ${key}=${value}\n`;
      // The length counts its own digits.
      let length = rest.length;
      while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
      return `${length}${rest}`;
    })
    .join('');
}

function textIn(block: Buffer, [at, width]: Field): string {
  const text = block.toString('latin1', at, at + width);
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

/** A number in octal digits, or in base 256 when the first bit is set. */
function numberIn(block: Buffer, [at, width]: Field): number | undefined {
  const first = block[at] ?? 0;
  if ((first & 0x80) !== 0) {
    let value = BigInt(first & 0x7f);
    for (let index = 1; index < width; index += 1) value = value * 256n + BigInt(block[at + index] ?? 0);
    const number = Number(first === 0xff ? BigInt.asIntN(8 * width - 1, value) : value);
    return Number.isSafeInteger(number) ? number : undefined;
  }
  const text = textIn(block, [at, width]).trim();
  if (!/^[0-7]*$/.test(text)) return undefined;
  return text === '' ? 0 : Number.parseInt(text, 8);
}

function writeNumber(block: Buffer, [at, width]: Field, value: number): void {
  const octal = value < 0 ? undefined : Math.trunc(value).toString(8);
  if (octal !== undefined && octal.length < width) {
    block.write(`${octal.padStart(width - 1, '0')}\0`, at, 'latin1');
    return;
  }
  let left = BigInt.asUintN(8 * width, BigInt(Math.trunc(value)));
  for (let index = width - 1; index >= 0; index -= 1) {
    block[at + index] = Number(left & 0xffn);
    left >>= 8n;
  }
  block[at] = (block[at] ?? 0) | 0x80;
}

/** The sum of all bytes, where the bytes of the checksum count as blanks. */
function checksumOf(block: Buffer): number {
  let sum = 8 * 0x20;
  for (let index = 0; index < BLOCK_BYTES; index += 1) sum += block[index] ?? 0;
  for (let index = CHECKSUM[0]; index < CHECKSUM[0] + CHECKSUM[1]; index += 1) sum -= block[index] ?? 0;
  return sum;
}

function writeChecksum(block: Buffer): void {
  block.write(`${checksumOf(block).toString(8).padStart(6, '0')}\0 `, CHECKSUM[0], 'latin1');
}
