import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSubPath, readInside } from '../../../src/kubelet/volumes/inside-volume.ts';
import { fileIdentity } from '../../../src/runtime/start/open-beneath.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { needs } from '../../needs.ts';

const SWAPPER = fileURLToPath(new URL('swapper.mjs', import.meta.url));

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
      const opened = openSubPath(volume, subPath);
      const { dev, ino } = statSync(path.join(volume, subPath));
      const real = realpathSync(path.join(volume, subPath));
      expect(opened).toEqual({ ok: true, path: real, identity: `${dev}:${ino}` });
    },
  );

  it.each([
    ['out', 'not usable'],
    ['file-out', 'not usable'],
    ['out/secret', 'not usable'],
    ['out/new', 'not made'],
    ['out/new/deeper', 'not made'],
    ['dangling', 'not made'],
    ['dangling/x', 'not made'],
    ['loop', 'not usable'],
    ['file/x', 'not usable'],
    [`a/${'x'.repeat(300)}`, 'not usable'],
    ['nul\0', 'not usable'],
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
    expect(openSubPath(linked, 'dir/new')).toMatchObject({ ok: true, path: realpathSync(`${volume}/dir/new`) });
  });
});

describe('a part of a volume that a container changes meanwhile', needs('Linux'), () => {
  // The link exists half of the time. Without openat, some of these rounds end outside. On a busy machine the swapper
  // may rest for thousands of rounds: go on until both the folder and the link were met.
  const ROUNDS = 2000;
  const ROUNDS_MAX = 100 * ROUNDS;
  const OFTEN = ROUNDS / 100;

  it.each([
    ['a new folder below', 'dir/inner/NEW'],
    ['new folders below', 'dir/inner/NEW/deeper'],
    ['what is there', 'dir/inner/present'],
    ['the very folder', 'dir/inner'],
  ])('never leads out of it: %s', async (_, subPath) => {
    const { volume, outside } = volumeWithLinks();
    const inner = path.join(volume, 'dir/inner');
    for (const folder of [path.join(inner, 'present'), path.join(outside, 'present')])
      mkdirSync(folder, { recursive: true });
    symlinkSync(outside, path.join(volume, 'link'));
    const swapper = spawn(process.execPath, [SWAPPER, inner, path.join(volume, 'folder'), path.join(volume, 'link')]);
    onTestFinished(() => void swapper.kill('SIGKILL'));
    await once(swapper.stdout, 'data');
    const forbidden = new Set([outside, path.join(outside, 'present')].map((place) => fileIdentity(place)));
    const inside: string[] = [];
    let refused = 0;
    const wereBothMet = (): boolean => inside.length > OFTEN && refused > OFTEN;
    for (let round = 0; round < ROUNDS || (!wereBothMet() && round < ROUNDS_MAX); round++) {
      const opened = openSubPath(volume, subPath.replace('NEW', `new-${round}`));
      if (opened.ok) inside.push(opened.identity);
      else refused++;
    }
    expect(readdirSync(outside).toSorted()).toEqual(['present', 'secret']);
    expect(inside.filter((identity) => forbidden.has(identity))).toEqual([]);
    // Otherwise nothing was tested.
    expect(wereBothMet()).toBe(true);
  });

  it('keeps its descriptors to itself', () => {
    const { volume } = volumeWithLinks();
    const before = readdirSync('/proc/self/fd').length;
    for (const subPath of ['dir', 'a/b/c', 'out', 'within/x', 'loop', 'file/x', 'nul\0', 'dangling']) {
      openSubPath(volume, subPath);
      readInside(volume, subPath);
    }
    expect(readdirSync('/proc/self/fd')).toHaveLength(before);
  });

  it('may be reached by a link that names it from the root, and by links that climb inside', () => {
    const { volume } = volumeWithLinks();
    mkdirSync(path.join(volume, 'a/b'), { recursive: true });
    symlinkSync(path.join(realpathSync(volume), 'dir'), path.join(volume, 'a/absolute'));
    symlinkSync('../../dir', path.join(volume, 'a/b/climbs'));
    symlinkSync('../../../volume/dir', path.join(volume, 'a/b/leaves'));
    const real = realpathSync(path.join(volume, 'dir'));
    expect(openSubPath(volume, 'a/absolute')).toMatchObject({ ok: true, path: real });
    expect(openSubPath(volume, 'a/b/climbs')).toMatchObject({ ok: true, path: real });
    expect(openSubPath(volume, 'a/b/leaves')).toEqual({ ok: false, problem: 'not usable' });
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
