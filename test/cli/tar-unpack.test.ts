import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BLOCK_BYTES, encodeTarHeader, paddingOf, type TarHeader } from '../../src/cli/connect/tar-header.ts';
import { unpackTar } from '../../src/cli/connect/tar-unpack.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'podrun-unpack-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

type Member = Partial<Omit<TarHeader, 'size'>> & { readonly text?: string };

async function unpack(...members: readonly Member[]): Promise<string[]> {
  const warnings: string[] = [];
  const plain = { name: './x', type: 'file', mode: 0o644, linkName: '', mtimeMs: 0, uid: 0, gid: 0 } as const;
  const pieces = members.flatMap(({ text = '', ...header }) => [
    encodeTarHeader({ ...plain, ...header, size: text.length }),
    Buffer.from(text),
    Buffer.alloc(paddingOf(text.length)),
  ]);
  async function* archive(): AsyncGenerator<Buffer> {
    yield* [...pieces, Buffer.alloc(2 * BLOCK_BYTES)];
  }
  const target = path.join(folder, 'target');
  const warn = (text: string): void => void warnings.push(text.replaceAll(folder, ''));
  await unpackTar({ archive: archive(), root: './x', target, fileName: 'x', preserve: true, warn });
  return warnings;
}

it('leaves out what would get anywhere else', async () => {
  const warnings = await unpack(
    { name: './x/', type: 'folder', mode: 0o755 },
    { name: './x/../../outside', text: 'evil' },
    { name: './x/a/../../../outside', text: 'evil' },
    { name: './x/good', text: 'good' },
  );
  const warning = expect.stringMatching(/^warning: file ".*outside" is outside target destination, skipping$/);
  expect(warnings).toEqual([warning, warning]);
  expect(readdirSync(folder)).toEqual(['target']);
  expect(readdirSync(path.join(folder, 'target'))).toEqual(['good']);
});

it('makes no links, and so follows none', async () => {
  const outside = path.join(folder, 'outside');
  const warnings = await unpack(
    { name: './x/', type: 'folder', mode: 0o755 },
    { name: './x/link', type: 'link', linkName: outside },
    { name: './x/link/file', text: 'kept inside' },
    { name: './x/hard', type: 'hardLink', linkName: './x/../../outside' },
    { name: './x/pipe', type: 'other' },
  );
  expect(warnings).toEqual([
    'warning: skipping symlink: "/target/link" -> "/outside"',
    'warning: skipping link: "/target/hard"',
    'warning: skipping special file: "/target/pipe"',
  ]);
  expect(existsSync(outside)).toBe(false);
  expect(readFileSync(path.join(folder, 'target', 'link', 'file'), 'utf8')).toBe('kept inside');
});

it('writes a file once more for each further name of it, and gives nobody the rights of others', async () => {
  await unpack(
    { name: './x/', type: 'folder', mode: 0o700 },
    { name: './x/a', text: 'content', mode: 0o4755 },
    { name: './x/b', type: 'hardLink', linkName: './x/a', mode: 0o640 },
  );
  expect(readFileSync(path.join(folder, 'target', 'b'), 'utf8')).toBe('content');
});

it.each(['/etc/passwd', './other', '../x', './xy'])('refuses an archive of something else: %s', async (name) => {
  await expect(unpack({ name, text: 'evil' })).rejects.toThrow('error: tar contents corrupted');
});
