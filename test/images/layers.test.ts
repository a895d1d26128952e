import { lstatSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { LayerFilter } from '../../src/images/unpack/layer-filter.ts';
import { needs } from '../needs.ts';
import { archiveOf, type Entry } from './archive.ts';
import { unpackInto } from './layer.ts';
import { ownKind, UNPACKED } from './registry.ts';
import { removeTree } from '../../src/remove-tree.ts';

const place = mkdtempSync(path.join(tmpdir(), 'podrun-layers-'));
afterAll(() => removeTree(place));

const file = (name: string, text = ''): Entry => ({ name, text });
const OPAQUE = `SCHILY.xattr.${ownKind === 'root' ? 'trusted' : 'user'}.overlay.opaque=y`;
/** The number of folders that hide those of lower layers. */
const opaqueIn = (entries: readonly Entry[]): number =>
  new LayerFilter(ownKind).push(archiveOf(entries)).toString('latin1').split(OPAQUE).length - 1;

it('a whiteout is a character device 0/0', needs(UNPACKED), async () => {
  const { folder } = await unpackInto(place, archiveOf([{ name: 'a/' }, file('a/.wh.b')]), ownKind);
  const stats = lstatSync(path.join(folder, 'a/b'));
  expect([stats.isCharacterDevice(), stats.rdev]).toEqual([true, 0]);
});

it('an opaque folder hides those below, and keeps its mode', needs('layers of images'), async () => {
  const entries = [{ name: 'a/', mode: 0o750 }, file('a/.wh..wh..opq'), file('a/x', 'x')];
  expect(opaqueIn(entries)).toBe(1);
  const { folder } = await unpackInto(place, archiveOf(entries), ownKind);
  expect(statSync(path.join(folder, 'a')).mode & 0o7777).toBe(0o750);
  expect(readdirSync(path.join(folder, 'a'))).toEqual(['x']);
});

it.each([
  ['before it', [file('.wh.a'), { name: 'a/' }, file('a/x')]],
  ['before its contents', [file('.wh.a'), file('a/x')]],
  ['behind it', [{ name: 'a/' }, file('a/x'), file('.wh.a')]],
])('a folder that has a whiteout %s hides the lower one', needs('layers of images'), async (_, entries) => {
  expect(opaqueIn(entries)).toBe(1);
  const { folder } = await unpackInto(place, archiveOf(entries), ownKind);
  expect(readdirSync(path.join(folder, 'a'))).toEqual(['x']);
});

it('a file that has a whiteout in its own layer stays', needs(UNPACKED), async () => {
  for (const entries of [
    [file('a', 'x'), file('.wh.a')],
    [file('.wh.a'), file('a', 'x')],
  ]) {
    const { folder } = await unpackInto(place, archiveOf(entries), ownKind);
    expect(readFileSync(path.join(folder, 'a'), 'utf8')).toBe('x');
  }
});

it('names of any bytes and length stay', needs(UNPACKED), async () => {
  const long = `${'d'.repeat(200)}/${'é'.repeat(60)}`;
  const pax = { path: Buffer.from(long).toString('latin1') };
  const { folder } = await unpackInto(place, archiveOf([{ ...file('short', 'x'), pax }]), ownKind);
  expect(readFileSync(path.join(folder, long), 'utf8')).toBe('x');
});

it('the filter gives the same for every way to cut the stream', () => {
  const archive = archiveOf([file('a/.wh.b'), { name: 'c/' }, file('c/d', 'x'.repeat(700)), file('.wh.c')]);
  const whole = new LayerFilter('single').push(archive);
  for (const size of [1, 7, 511, 512, 513, 1000]) {
    const filter = new LayerFilter('single');
    const pieces: Buffer[] = [];
    for (let at = 0; at < archive.length; at += size) pieces.push(filter.push(archive.subarray(at, at + size)));
    expect(Buffer.concat(pieces).equals(whole)).toBe(true);
  }
});
