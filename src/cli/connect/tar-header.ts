/*
 * The blocks of a tar archive, as far as they are needed to copy files: ustar, with the long names of GNU, which every
 * tar reads; and what any tar writes (GNU, BSD, busybox): also the extended headers of POSIX.
 */

export const BLOCK_BYTES = 512;

export type TarType = 'file' | 'folder' | 'link' | 'hardLink' | 'other';

export interface TarHeader {
  readonly name: string;
  readonly type: TarType;
  /** The bits of the rights, without those for another user. */
  readonly mode: number;
  readonly size: number;
  /** Where a link leads. */
  readonly linkName: string;
  readonly mtimeMs: number;
  readonly uid: number;
  readonly gid: number;
}

/** A block as it stands: the type is a sign of its own. */
export interface RawHeader extends Omit<TarHeader, 'type'> {
  readonly sign: string;
}

const SIGNS: Readonly<Record<TarType, string>> = { file: '0', hardLink: '1', link: '2', folder: '5', other: '3' };
const MODE_BITS = 0o777;
const NAME_BYTES = 100;
const OCTAL_SIZE_MAX = 8 ** 11;
const OCTAL_ID_MAX = 8 ** 7;
const LONG_NAME = '././@LongLink';

/** The blocks that come before the content of a file. */
export function encodeTarHeader(header: TarHeader): Buffer {
  const sign = SIGNS[header.type];
  return Buffer.concat([...longText('L', header.name), ...longText('K', header.linkName), block({ ...header, sign })]);
}

/** How much is missing behind so many bytes to fill a block. */
export function paddingOf(size: number): number {
  return (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;
}

export function typeOf(sign: string): TarType {
  if (sign === '\0' || sign === '7') return 'file';
  return (Object.entries(SIGNS).find(([type, one]) => one === sign && type !== 'other')?.[0] ?? 'other') as TarType;
}

/**
 * Undefined: a block of zeros, with which an archive ends.
 * @throws {Error} for what is no header
 */
export function decodeTarHeader(bytes: Buffer): RawHeader | undefined {
  if (bytes.every((byte) => byte === 0)) return undefined;
  if (checksumOf(bytes) !== numberAt(bytes, 148, 8)) throw new Error('this is no tar archive');
  const isUstar = bytes.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isUstar ? textAt(bytes, 345, 155) : '';
  const name = textAt(bytes, 0, NAME_BYTES);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    sign: bytes.toString('latin1', 156, 157),
    mode: numberAt(bytes, 100, 8) & MODE_BITS,
    uid: numberAt(bytes, 108, 8),
    gid: numberAt(bytes, 116, 8),
    size: numberAt(bytes, 124, 12),
    mtimeMs: numberAt(bytes, 136, 12) * 1000,
    linkName: textAt(bytes, 157, NAME_BYTES),
  };
}

/** The pairs of an extended header: `27 path=some/long/name\n`, each with its length in bytes. */
export function decodeExtended(bytes: Buffer): Map<string, string> {
  const pairs = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(' ', at);
    const length = space < 0 ? Number.NaN : Number(bytes.toString('latin1', at, space));
    if (!Number.isInteger(length) || length <= space - at) throw new Error('an extended header cannot be read');
    const [key = '', ...value] = bytes.toString('utf8', space + 1, at + length - 1).split('=');
    pairs.set(key, value.join('='));
    at += length;
  }
  return pairs;
}

function longText(sign: string, text: string): Buffer[] {
  const bytes = Buffer.from(`${text}\0`);
  if (bytes.length <= NAME_BYTES) return [];
  const head = { name: LONG_NAME, sign, size: bytes.length, mode: 0, linkName: '', mtimeMs: 0, uid: 0, gid: 0 };
  return [block(head), bytes, Buffer.alloc(paddingOf(bytes.length))];
}

function block({ name, sign, mode, uid, gid, size, mtimeMs, linkName }: RawHeader): Buffer {
  const bytes = Buffer.alloc(BLOCK_BYTES);
  Buffer.from(name).copy(bytes, 0, 0, NAME_BYTES);
  writeOctal(bytes, mode & MODE_BITS, 100, 8);
  // Whose number is larger than the format holds belongs to whoever unpacks it.
  writeOctal(bytes, uid < OCTAL_ID_MAX ? uid : 0, 108, 8);
  writeOctal(bytes, gid < OCTAL_ID_MAX ? gid : 0, 116, 8);
  if (size < OCTAL_SIZE_MAX) writeOctal(bytes, size, 124, 12);
  else writeBinary(bytes, size, 124, 12);
  writeOctal(bytes, Math.min(Math.max(0, Math.floor(mtimeMs / 1000)), OCTAL_SIZE_MAX - 1), 136, 12);
  bytes.write(sign, 156, 'latin1');
  Buffer.from(linkName).copy(bytes, 157, 0, NAME_BYTES);
  bytes.write('ustar  \0', 257, 'latin1');
  bytes.write(`${checksumOf(bytes).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return bytes;
}

/** The sum of all bytes, with spaces in place of itself. */
function checksumOf(bytes: Buffer): number {
  return bytes.reduce((sum, byte, index) => sum + (index >= 148 && index < 156 ? 32 : byte), 0);
}

function writeOctal(bytes: Buffer, value: number, at: number, length: number): void {
  bytes.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
}

/** As GNU writes what octal digits have no room for. */
function writeBinary(bytes: Buffer, value: number, at: number, length: number): void {
  bytes.writeUInt8(0x80, at);
  bytes.writeBigUInt64BE(BigInt(value), at + length - 8);
}

function numberAt(bytes: Buffer, at: number, length: number): number {
  if ((bytes[at] ?? 0) >= 0x80) return Number(bytes.readBigUInt64BE(at + length - 8));
  return Number.parseInt(
    bytes
      .toString('latin1', at, at + length)
      .replace(/\0.*$/s, '')
      .trim() || '0',
    8,
  );
}

function textAt(bytes: Buffer, at: number, length: number): string {
  const text = bytes.subarray(at, at + length);
  const end = text.indexOf(0);
  return text.toString('utf8', 0, end < 0 ? length : end);
}
