import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Header, pack } from 'tar-stream';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { unpackTar } from '../../src/cli/connect/tar.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'podrun-unpack-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

type Member = Partial<Header> & { readonly text?: string };

/** An archive with these entries, as tar in a container writes it. */
async function archiveOf(members: readonly Member[]): Promise<Buffer> {
  const archive = pack();
  for (const { text = '', ...header } of members) archive.entry({ name: './x', ...header, size: text.length }, text);
  archive.finalize();
  return await buffer(archive);
}

/** Unpacks an archive that arrives in chunks of this size. Answers the warnings. */
async function unpackBytes(bytes: Buffer, pieceBytes = 700): Promise<string[]> {
  const warnings: string[] = [];
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
    bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  );
  const target = path.join(folder, 'target');
  const warn = (text: string): void => void warnings.push(text.replaceAll(folder, ''));
  await unpackTar({
    archive: Readable.from(pieces),
    root: './x',
    target,
    fileName: 'x',
    preserve: true,
    warn,
    pathOf: (file) => file,
  });
  return warnings;
}

const unpack = async (...members: readonly Member[]): Promise<string[]> => await unpackBytes(await archiveOf(members));

it('skips entries outside the target folder', async () => {
  const warnings = await unpack(
    { name: './x/', type: 'directory', mode: 0o755 },
    { name: './x/../../outside', text: 'evil' },
    { name: './x/a/../../../outside', text: 'evil' },
    { name: './x/good', text: 'good' },
  );
  const warning = expect.stringMatching(/^warning: file ".*outside" is outside target destination, skipping$/);
  expect(warnings).toEqual([warning, warning]);
  expect(readdirSync(folder)).toEqual(['target']);
  expect(readdirSync(path.join(folder, 'target'))).toEqual(['good']);
});

it('creates no links, and so follows none', async () => {
  const outside = path.join(folder, 'outside');
  const warnings = await unpack(
    { name: './x/', type: 'directory', mode: 0o755 },
    { name: './x/link', type: 'symlink', linkname: outside },
    { name: './x/link/file', text: 'kept inside' },
    { name: './x/hard', type: 'link', linkname: './x/../../outside' },
    { name: './x/pipe', type: 'fifo' },
  );
  expect(warnings).toEqual([
    'warning: skipping symlink: "/target/link" -> "/outside"',
    'warning: skipping link: "/target/hard"',
    'warning: skipping special file: "/target/pipe"',
  ]);
  expect(existsSync(outside)).toBe(false);
  expect(readFileSync(path.join(folder, 'target', 'link', 'file'), 'utf8')).toBe('kept inside');
});

it('writes hard links as copies, and sets no setuid bits', async () => {
  await unpack(
    { name: './x/', type: 'directory', mode: 0o700 },
    { name: './x/a', text: 'content', mode: 0o4755 },
    { name: './x/b', type: 'link', linkname: './x/a', mode: 0o640 },
  );
  expect(readFileSync(path.join(folder, 'target', 'b'), 'utf8')).toBe('content');
});

it.each(['/etc/passwd', './other', '../x', './xy'])('refuses an archive of another path: %s', async (name) => {
  await expect(unpack({ name, text: 'evil' })).rejects.toThrow('tar contents corrupted');
});

it('skips the content of skipped entries', async () => {
  await unpack(
    { name: './x/', type: 'directory', mode: 0o755 },
    { name: './x/../../outside', text: 'evil'.repeat(5000) },
    { name: `./x/${'long/'.repeat(60)}name`, text: 'good'.repeat(5000) },
  );
  expect(readFileSync(path.join(folder, 'target', 'long/'.repeat(60), 'name'), 'utf8')).toBe('good'.repeat(5000));
});

it.each([
  ['is no archive', async () => Buffer.alloc(1024, 'x'), /Invalid tar header/],
  [
    'ends in a file',
    async () => (await archiveOf([{ text: 'a'.repeat(5000) }])).subarray(0, 1000),
    /Unexpected end of data/,
  ],
])('fails for an archive that %s', async (_, bytes, message) => {
  await expect(unpackBytes(await bytes())).rejects.toThrow(message);
});
