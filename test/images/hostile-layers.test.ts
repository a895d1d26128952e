import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { archiveOf, type Entry } from './archive.ts';
import { unpackInto } from './layer.ts';
import { LayerFilter } from '../../src/images/unpack/layer-filter.ts';
import type { LayerKind } from '../../src/lifecycle/base/image-types.ts';
import { need, type Need } from '../needs.ts';
import { removeTree } from '../../src/remove-tree.ts';

const KINDS: ReadonlyArray<{ readonly kind: LayerKind; readonly need: Need }> = [
  { kind: 'root', need: 'trusted attributes' },
  { kind: 'single', need: 'user namespaces' },
];
const top = mkdtempSync(path.join(tmpdir(), 'podrun-hostile-'));
const outside = path.join(top, 'outside');
let place = '';

beforeEach(() => {
  removeTree(top);
  place = path.join(top, 'store');
  mkdirSync(place, { recursive: true });
  mkdirSync(outside);
  writeFileSync(path.join(outside, 'victim'), 'untouched');
});

afterAll(() => removeTree(top));

const link = (name: string, target: string): Entry => ({ name, type: '2', link: target });
const hard = (name: string, target: string): Entry => ({ name, type: '1', link: target });
const file = (name: string): Entry => ({ name, text: 'evil' });

/** Layers that try to write or to read outside their folder. `outside` is two folders above a layer. */
const OUTSIDE: Readonly<Record<string, readonly Entry[]>> = {
  'an absolute name': [file(`${outside}/victim`)],
  'a name with ..': [file('../../outside/victim')],
  'a name with .. in the middle': [file('a/../../../outside/victim')],
  'a name with .. in a record of pax': [{ ...file('a'), pax: { path: '../../outside/victim' } }],
  'a file through an absolute link': [link('l', outside), file('l/victim')],
  'a file through a relative link': [link('l', '../../outside'), file('l/victim')],
  'a file in place of a link': [link('l', `${outside}/victim`), file('l')],
  'a file through a chain of links': [link('a', '../..'), link('b', 'a/outside'), file('b/victim')],
  'a hard link with ..': [hard('h', '../../outside/victim'), file('h')],
  'an absolute hard link': [hard('h', `${outside}/victim`), file('h')],
  'a hard link through a link': [link('l', outside), hard('h', 'l/victim'), file('h')],
  'a whiteout through a link': [link('l', outside), file('l/.wh.victim')],
  'an opaque folder through a link': [link('l', outside), file('l/.wh..wh..opq')],
  'a folder in place of a link': [link('l', outside), { name: 'l/' }, file('l/victim')],
  'a folder of a link with other rights': [link('l', outside), { name: 'l/', mode: 0o777 }],
};

/** Layers that are refused, and the reason. */
const REFUSED: ReadonlyArray<readonly [string, readonly Entry[], string]> = [
  ['a whiteout of nothing', [file('a/.wh.')], 'invalid whiteout name: .wh.'],
  ['a whiteout of the folder', [file('a/.wh..')], 'invalid whiteout name: .wh..'],
  ['a whiteout of the folder above', [file('a/.wh...')], 'invalid whiteout name: .wh...'],
  ['a name of 5000 bytes', [{ ...file('a'), pax: { path: 'x'.repeat(5000) } }], 'a name of 5000 bytes'],
  ['a size that is no number', [{ ...file('a'), pax: { size: '-1' } }], 'invalid tar header'],
  ['more content than there is', [{ ...file('a'), size: 2 ** 40 }], 'unexpected EOF'],
  ['a header for a tape', [{ name: 'a', type: 'V' }], 'unhandled tar header type 86 for file a'],
  [
    'a path for all entries',
    [{ name: 'a', type: 'g', size: 512, text: '17 path=../../a\n'.padEnd(512, '\0') }],
    'header',
  ],
  ['an owner that is none', [{ ...file('a'), uid: 2 ** 32 - 1 }], 'no user can own a'],
  ['a group that is none', [{ ...file('a'), gid: 2 ** 32 }], 'no user can own a'],
  ['an owner below 0', [{ ...file('a'), uid: -1 }], 'no user can own a'],
  ['an owner in a record of pax', [{ ...file('a'), pax: { uid: '4294967296' } }], 'no user can own a'],
  ['a sparse file', [{ ...file('a'), pax: { 'GNU.sparse.name': '../../outside/victim' } }], 'sparse files are not'],
];

describe.each(KINDS)('a hostile layer of kind $kind', ({ kind, need: wanted }) => {
  beforeEach((test) => need(test, wanted));

  it.each(Object.entries(OUTSIDE))('changes nothing outside: %s', async (_, entries) => {
    const before = lstatSync(outside);
    await unpackInto(place, archiveOf(entries), kind).catch(() => undefined);
    expect(readFileSync(path.join(outside, 'victim'), 'utf8')).toBe('untouched');
    expect(readdirSync(outside)).toEqual(['victim']);
    expect(lstatSync(outside).mode).toBe(before.mode);
    expect(lstatSync(path.join(outside, 'victim')).nlink).toBe(1);
    expect(readdirSync(top).toSorted()).toEqual(['outside', 'store']);
  });

  it.each(REFUSED)('is refused: %s', async (_, entries, why) => {
    await expect(unpackInto(place, archiveOf(entries), kind)).rejects.toThrow(why);
  });

  it('cannot set the attributes of overlayfs', () => {
    const pax = {
      'SCHILY.xattr.trusted.overlay.redirect': '/etc',
      'SCHILY.xattr.user.overlay.opaque': 'y',
      'SCHILY.xattr.user.own': 'kept',
    };
    const filtered = new LayerFilter(kind).push(
      archiveOf([
        { name: 'd/', pax },
        { ...file('d/f'), pax },
      ]),
    );
    expect(filtered.toString('latin1').match(/SCHILY\.xattr\.[\w.]+/g)).toEqual([
      'SCHILY.xattr.user.own',
      'SCHILY.xattr.user.own',
    ]);
  });

  it('gets no size for entries without content: what follows is an entry', async () => {
    const entries = [{ name: 'd/', size: 512 }, file('d/f'), { ...link('l', 'd'), size: 512 }, file('g')];
    const { folder } = await unpackInto(place, archiveOf(entries), kind);
    expect(readdirSync(folder).toSorted()).toEqual(['d', 'g', 'l']);
    expect(existsSync(path.join(folder, 'd/f'))).toBe(true);
  });
});

it.for(KINDS)('a layer makes devices for root only: $kind', async ({ kind, need: wanted }, test) => {
  need(test, wanted, ...(kind === 'root' ? (['device nodes'] as const) : []));
  const { folder } = await unpackInto(place, archiveOf([{ name: 'dev/null', type: '3' }, file('f')]), kind);
  expect(existsSync(path.join(folder, 'f'))).toBe(true);
  expect(existsSync(path.join(folder, 'dev/null'))).toBe(kind === 'root');
});
