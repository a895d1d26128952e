import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSubPath, readInside } from '../../../src/agent/volumes/inside-volume.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A volume with a folder, a file and links of all kinds, and a folder beside it. */
function volumeWithLinks(): { volume: string; outside: string } {
  const folder = temporaryFolder();
  const [volume, outside] = [path.join(folder, 'volume'), path.join(folder, 'volume-beside')];
  for (const made of [volume, outside, path.join(volume, 'dir')]) mkdirSync(made);
  writeFileSync(path.join(volume, 'file'), 'text');
  writeFileSync(path.join(outside, 'secret'), 'secret');
  symlinkSync('dir', path.join(volume, 'within'));
  symlinkSync(outside, path.join(volume, 'out'));
  symlinkSync('../volume-beside/secret', path.join(volume, 'file-out'));
  symlinkSync(path.join(outside, 'not-yet'), path.join(volume, 'dangling'));
  symlinkSync('loop', path.join(volume, 'loop'));
  return { volume, outside };
}

describe('a part of a volume', () => {
  it.each(['dir', 'file', 'within', 'dir/new', 'within/new/deeper', 'new', './dir', '..odd/x'])(
    'may be %s',
    (subPath) => {
      const { volume } = volumeWithLinks();
      expect(openSubPath(volume, subPath)).toEqual({ ok: true, path: path.join(volume, subPath) });
      expect(existsSync(path.join(volume, subPath))).toBe(true);
    },
  );

  it.each([
    ['out', 'outside'],
    ['file-out', 'outside'],
    ['out/secret', 'outside'],
    ['out/new', 'not made'],
    ['out/new/deeper', 'not made'],
    ['dangling', 'not made'],
    ['dangling/x', 'not made'],
    ['loop', 'not made'],
    ['file/x', 'not made'],
    [`a/${'x'.repeat(300)}`, 'not made'],
    ['nul\0', 'not made'],
  ])('cannot be %s', (subPath, problem) => {
    const { volume, outside } = volumeWithLinks();
    expect(openSubPath(volume, subPath)).toEqual({ ok: false, problem });
    expect(readdirSync(outside)).toEqual(['secret']);
  });

  it('gets the permissions of the volume, whatever the umask is', () => {
    const { volume } = volumeWithLinks();
    chmodSync(volume, 0o777);
    openSubPath(volume, 'new/deeper');
    const modes = ['new', 'new/deeper'].map((name) => statSync(path.join(volume, name)).mode & 0o7777);
    expect(modes).toEqual([0o777, 0o777]);
  });

  it('may be reached through a volume that is a link itself', () => {
    const { volume } = volumeWithLinks();
    const linked = `${volume}-link`;
    symlinkSync(volume, linked);
    expect(openSubPath(linked, 'dir/new')).toEqual({ ok: true, path: `${linked}/dir/new` });
  });
});

describe('a file of a volume', () => {
  it('is read when it is in there', () => {
    const { volume } = volumeWithLinks();
    symlinkSync('file', path.join(volume, 'alias'));
    expect([readInside(volume, 'file'), readInside(volume, 'alias')]).toEqual(['text', 'text']);
  });

  it.each(['none', 'dir', 'out/secret', 'file-out', '../volume-beside/secret', 'loop', 'pipe'])(
    'is not read when it is %s',
    (file) => {
      const { volume } = volumeWithLinks();
      execFileSync('mkfifo', [path.join(volume, 'pipe')]);
      expect(readInside(volume, file)).toBeUndefined();
    },
  );
});
