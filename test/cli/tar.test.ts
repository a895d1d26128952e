import { array, assert, asyncProperty, constantFrom, integer, record, string, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BLOCK_BYTES, encodeTarHeader, paddingOf, type TarHeader } from '../../src/cli/connect/tar-header.ts';
import { readTar } from '../../src/cli/connect/tar-reader.ts';

const HEADER: TarHeader = {
  name: 'a',
  type: 'file',
  mode: 0o640,
  size: 0,
  linkName: '',
  mtimeMs: 1_700_000_000_000,
  uid: 1,
  gid: 2,
};
const END = Buffer.alloc(2 * BLOCK_BYTES);

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const member = (header: Partial<TarHeader>, content: Uint8Array = Buffer.alloc(0)): Buffer =>
  Buffer.concat([
    encodeTarHeader({ ...HEADER, ...header, size: content.length }),
    content,
    Buffer.alloc(paddingOf(content.length)),
  ]);

async function read(archive: Buffer, pieceBytes = 1000) {
  const entries = [];
  for await (const { content, name, type, mode, linkName, size } of readTar(inPieces(archive, pieceBytes))) {
    const pieces: Buffer[] = [];
    for await (const piece of content) pieces.push(piece);
    entries.push({ name, type, mode, linkName, size, text: Buffer.concat(pieces).toString('latin1') });
  }
  return entries;
}

describe('readTar()', () => {
  it('reads what was packed, however it arrives', async () => {
    const name = string({ unit: constantFrom('a', 'é', '/', '.', '日'), minLength: 1, maxLength: 200 });
    const packed = record({ name, mode: integer({ min: 0, max: 0o777 }), content: uint8Array({ maxLength: 1500 }) });
    await assert(
      asyncProperty(array(packed, { maxLength: 4 }), integer({ min: 1, max: 2000 }), async (members, pieceBytes) => {
        const archive = Buffer.concat([...members.map(({ content, ...header }) => member(header, content)), END]);
        const entries = await read(archive, pieceBytes);
        const text = (content: Uint8Array): string => Buffer.from(content).toString('latin1');
        expect(entries.map((entry) => [entry.name, entry.mode, entry.text])).toEqual(
          members.map((one) => [one.name, one.mode, text(one.content)]),
        );
      }),
      { numRuns: 60 },
    );
  });

  it('passes over what nobody reads', async () => {
    const archive = Buffer.concat([member({ name: 'a' }, Buffer.alloc(5000)), member({ name: 'b' }), END]);
    const names: string[] = [];
    for await (const { name } of readTar(inPieces(archive, 700))) names.push(name);
    expect(names).toEqual(['a', 'b']);
  });

  it('reads long names, links and folders', async () => {
    const long = 'x'.repeat(300);
    const archive = Buffer.concat([
      member({ name: `${long}/`, type: 'folder' }),
      member({ name: 'l', type: 'link', linkName: long }),
      member({ name: 'h', type: 'hardLink', linkName: 'l' }),
      END,
    ]);
    expect((await read(archive)).map(({ name, type, linkName }) => [name, type, linkName])).toEqual([
      [`${long}/`, 'folder', ''],
      ['l', 'link', long],
      ['h', 'hardLink', 'l'],
    ]);
  });

  it('reads the extended headers of POSIX', async () => {
    const pairs = Buffer.from('19 path=some/näme\n18 linkpath=there\n');
    const extended = member({ name: 'x' }, pairs);
    extended.write('x', 156, 'latin1');
    // Its checksum no longer fits: the sum of all bytes, with spaces in its place.
    extended.fill(' ', 148, 156);
    const sum = extended.subarray(0, BLOCK_BYTES).reduce((total, byte) => total + byte, 0);
    extended.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
    const [entry] = await read(Buffer.concat([extended, member({ type: 'link', linkName: 'short' }), END]));
    expect(entry).toMatchObject({ name: 'some/näme', linkName: 'there', type: 'link' });
  });

  it.each([
    ['is no archive', Buffer.alloc(BLOCK_BYTES, 'x'), /no tar archive/],
    ['ends in a header', member({}).subarray(0, 100), /ends too early/],
    ['ends in a file', member({}, Buffer.alloc(5000)).subarray(0, 1000), /ends too early/],
  ])('fails for what %s', async (_, archive, message) => {
    await expect(read(archive)).rejects.toThrow(message);
  });
});
