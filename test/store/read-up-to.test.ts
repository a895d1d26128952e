import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readUpTo, textUpTo } from '../../src/store/disk/read-up-to.ts';
import { temporaryFolder } from './temporary-store.ts';

const MIB = 2 ** 20;

it('reads a file whole, and no device without an end', async () => {
  const file = path.join(temporaryFolder(), 'text');
  writeFileSync(file, 'x'.repeat(MIB));
  expect(readUpTo(file, MIB)).toHaveLength(MIB);
  expect(() => readUpTo(file, MIB - 1)).toThrow(expect.objectContaining({ code: 'EFBIG' }));
  expect(() => readUpTo('/dev/zero', MIB)).toThrow('it holds more than 1 MiB');
  expect(() => readUpTo(`${file}.not`, MIB)).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});

it('reads a stream whole, and not one without an end', async () => {
  async function* endless(): AsyncGenerator<Buffer> {
    await Promise.resolve();
    for (;;) yield Buffer.alloc(MIB / 4);
  }
  async function* short(): AsyncGenerator<Buffer> {
    await Promise.resolve();
    yield Buffer.from('é').subarray(0, 1);
    yield Buffer.from('é').subarray(1);
  }
  expect(await textUpTo(short(), MIB)).toBe('é');
  await expect(textUpTo(endless(), MIB)).rejects.toMatchObject({ code: 'EFBIG' });
});
