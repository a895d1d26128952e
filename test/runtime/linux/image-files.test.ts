import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pathInImage, readImageFile } from '../../../src/runtime/linux/image/programs.ts';

/** An image whose lower layer has what it can to lead out. The host's files have the same names as those it lacks. */
let place: string;
let outside: string;
const image = (): { folder: string; layers: number } => ({ folder: path.join(place, 'image'), layers: 2 });

beforeEach(() => {
  place = mkdtempSync(path.join(tmpdir(), 'podrun-image-'));
  outside = path.join(place, 'outside');
  const [upper, lower] = [path.join(place, 'upper'), path.join(place, 'lower')];
  for (const folder of [outside, path.join(lower, 'data/deep'), upper, path.join(place, 'image/l')]) {
    mkdirSync(folder, { recursive: true });
  }
  writeFileSync(path.join(outside, 'secret'), 'of the host');
  writeFileSync(path.join(lower, 'data/file'), 'of the image');
  const links = {
    absolute: outside,
    above: '../../../../../../../../etc',
    folder: '/data',
    'data/deep/up': '../../../..',
    loop: 'loop',
    proc: '/proc/self/root',
    passwd: path.join(outside, 'secret'),
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, path.join(lower, name));
  symlinkSync('data/file', path.join(upper, 'over'));
  symlinkSync(upper, path.join(place, 'image/l/0'));
  symlinkSync(lower, path.join(place, 'image/l/1'));
});
afterEach(() => rmSync(place, { recursive: true }));

describe('a path in an image', () => {
  it.each([
    ['', '/'],
    ['data', '/data'],
    ['folder/file', '/data/file'],
    ['over', '/data/file'],
    ['data/deep/up', '/'],
    ['data/deep/up/data/file', '/data/file'],
    ['../../data', '/data'],
  ])('%j leads to %s', (wanted, found) => {
    expect(pathInImage(image(), wanted)).toBe(found);
  });

  it.each(['absolute', 'absolute/secret', 'above', 'above/passwd', 'loop', 'proc', 'proc/etc', 'data/file/x', 'none'])(
    '%s leads nowhere, and not to the host',
    (wanted) => {
      expect(pathInImage(image(), wanted)).toBeUndefined();
    },
  );
});

it('a file of an image is never one of the host', () => {
  expect(readImageFile(image(), '/over')).toBe('of the image');
  for (const file of ['/passwd', '/absolute/secret', '/above/passwd', '/proc/etc/passwd', '/data']) {
    expect([file, readImageFile(image(), file)]).toEqual([file, '']);
  }
});
