import { describe, expect, it } from 'vitest';
import { fstabText, overlayPath, seriousFailure } from '../../../../src/runtime/linux/namespace/fstab.ts';
import { mountOf, parseMountInfo } from '../../../../src/runtime/linux/paths/host-mounts.ts';

describe('fstabText()', () => {
  it('writes a line for each mount, in order', () => {
    const bind = { source: '/a', target: '/b', type: 'none', options: ['rbind', 'ro'] };
    const proc = { source: 'proc', target: '/m/proc', type: 'proc', options: ['nosuid'] };
    expect(fstabText([bind, proc])).toBe('/a /b none rbind,ro 0 0\nproc /m/proc proc nosuid 0 0\n');
  });

  it('writes what would end a field as octal numbers', () => {
    const odd = { source: '/a b\tc\\d#e', target: '/ü', type: 'none', options: ['bind'] };
    expect(fstabText([odd])).toBe('/a\\040b\\011c\\134d\\043e /ü none bind 0 0\n');
  });

  it('leaves out line breaks where it can, and refuses them where it must not', () => {
    const odd = { source: '/a', target: '/b\nmounted all', type: 'none', options: ['bind'] };
    expect(fstabText([{ ...odd, isOptional: true }])).toBe('');
    expect(() => fstabText([odd])).toThrow('mount "/b\\nmounted all": there is a line break in a path');
  });

  it('leaves out quotation marks among the options where it can, and refuses them where it must not', () => {
    const overlay = { source: 'overlay', target: '/a', type: 'overlay', options: ['lowerdir=/', 'upperdir=/b"c'] };
    expect(fstabText([{ ...overlay, isOptional: true }])).toBe('');
    expect(() => fstabText([overlay])).toThrow('mount "/a": there is a quotation mark in a path');
  });
});

describe('seriousFailure()', () => {
  const entry = { source: '/a', type: 'none', options: ['bind'] };
  const entries = [
    { ...entry, target: '/r/./data' },
    { ...entry, target: '/r/./mnt', isOptional: true },
    { ...entry, target: '/r/./both', isOptional: true },
    { ...entry, target: '/r/./both' },
  ];
  const says = (target: string): string =>
    `mount: ${target}: mount point does not exist.\n       dmesg(1) may have more information.\n`;

  it.each([
    ['nothing was said', '', undefined],
    ['only what may fail has failed', says('/r/./mnt') + says('/r/./mnt'), undefined],
    ['what must not fail is reported by itself', says('/r/./mnt') + says('/r/./data') + says('/r/./mnt'), '/r/./data'],
    ['two mounts at one place cannot be distinguished', says('/r/./both'), '/r/./both'],
    ['a place that was not requested is serious', says('/r/./mnt/x'), '/r/./mnt/x'],
  ])('%s', (_what, words, target) => {
    expect(seriousFailure(words, entries)).toBe(target && says(target).trimEnd());
  });

  it('takes what it does not know for serious', () => {
    expect(seriousFailure(`${says('/r/./mnt')}Segmentation fault\n`, entries)).toBe('Segmentation fault');
  });
});

it('overlayPath() keeps colons and commas from separating', () => {
  expect(overlayPath('/a:b,c\\d')).toBe('/a\\:b\\,c\\\\d');
});

describe('parseMountInfo()', () => {
  const text = [
    '22 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard',
    '36 22 0:21 / /mnt/with\\040blank rw,nosuid,nodev master:1 shared:3 - tmpfs tmpfs rw',
    '37 22 0:22 / /data ro - xfs /dev/vdb ro',
    '38 22 0:23 / /data rw - tmpfs over rw',
    'nonsense',
    '',
  ].join('\n');

  it('knows paths, types and options, and of two at one place the later', () => {
    expect(parseMountInfo(text)).toEqual([
      { path: '/', device: '254:0', root: '/', type: 'ext4', options: ['rw', 'relatime'] },
      { path: '/mnt/with blank', device: '0:21', root: '/', type: 'tmpfs', options: ['rw', 'nosuid', 'nodev'] },
      { path: '/data', device: '0:23', root: '/', type: 'tmpfs', options: ['rw'] },
    ]);
  });

  it.each([
    ['/data/x', '/data'],
    ['/database', '/'],
    ['/mnt/with blank', '/mnt/with blank'],
  ])('finds the mount that %s lies on: %s', (path, mount) => {
    expect(mountOf(path, parseMountInfo(text))?.path).toBe(mount);
  });
});
