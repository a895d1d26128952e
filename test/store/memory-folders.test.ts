import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  statfsSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  holdMemoryFolders,
  makeMemoryFolder,
  type MemoryArea,
  removeMemoryFolders,
  sweepMemoryFolders,
} from '../../src/store/disk/memory-folders.ts';
import { memoryPlace } from './memory-place.ts';
import { temporaryFolder } from './temporary-store.ts';
import { needs } from '../needs.ts';

const MEBIBYTE = 1024 * 1024;
const TMPFS = 0x01021994;
const isInMemory = statfsSync(tmpdir()).type === TMPFS;
const BASE = `podrun-${process.geteuid?.()}`;
const POD = '0b9a2d6e-1f5c-4c93-9d0d-3f1f6f1b7f10';

interface Bench {
  readonly area: MemoryArea;
  readonly place: string;
  readonly base: string;
  /** The same area, as seen by a later process with the same pid. */
  readonly later: MemoryArea;
  readonly make: (volume?: string, bytes?: number, area?: MemoryArea) => string | undefined;
}

function bench(): Bench {
  const place = memoryPlace();
  const seenAt = (startTime: string): MemoryArea['processes'] => ({ startTimeOf: () => startTime, bootId: () => 'b' });
  const area = { root: temporaryFolder(), mountPoints: [place], processes: seenAt('1') };
  const make: Bench['make'] = (volume = 'v', bytes = MEBIBYTE, from = area) =>
    makeMemoryFolder(from, POD, volume, bytes)?.folder;
  return { area, place, base: path.join(place, BASE), later: { ...area, processes: seenAt('2') }, make };
}

const modeOf = (file: string): string => (lstatSync(file).mode & 0o7777).toString(8);

describe('folders in memory (skipped where there is no tmpfs)', needs('/dev/shm in memory'), () => {
  it('can be entered by their user alone, whatever the umask is', () => {
    const { make, base, place } = bench();
    const before = process.umask(0);
    const folder = make() ?? '';
    process.umask(before);
    expect(folder.startsWith(`${base}/`)).toBe(true);
    const above = path.relative(place, folder).split('/');
    expect(above.map((_, at) => modeOf(path.join(place, ...above.slice(0, at + 1))))).toEqual(above.map(() => '700'));
  });

  it('are below a folder that stays as long as a process holds it', () => {
    const { area, base, later, make } = bench();
    const release = holdMemoryFolders(area);
    const releaseOther = holdMemoryFolders(area);
    make();
    removeMemoryFolders(area, POD);
    releaseOther();
    sweepMemoryFolders({ ...area, root: temporaryFolder() }, () => []);
    expect(existsSync(base)).toBe(true);
    release();
    expect(existsSync(base)).toBe(false);
    holdMemoryFolders(area);
    // The process of that folder was killed.
    sweepMemoryFolders(later, () => []);
    expect(existsSync(base)).toBe(false);
  });

  it('are found again, also when there is no room for a new one', () => {
    const { area, make } = bench();
    const made = makeMemoryFolder(area, POD, 'v', MEBIBYTE);
    expect(made?.isNew).toBe(true);
    expect(makeMemoryFolder(area, POD, 'v', Number.MAX_SAFE_INTEGER)).toEqual({ ...made, isNew: false });
    expect(make('other', Number.MAX_SAFE_INTEGER)).toBeUndefined();
  });

  it('are in the first place that is a tmpfs', needs({ 'a temporary folder on a disk': !isInMemory }), () => {
    const { area, place, make } = bench();
    const loop = path.join(temporaryFolder(), 'loop');
    symlinkSync('loop', loop);
    const others = ['/nowhere/at/all', '/proc', temporaryFolder(), loop];
    expect(make('v', MEBIBYTE, { ...area, mountPoints: [...others, place] })?.startsWith(place)).toBe(true);
    expect(make('w', MEBIBYTE, { ...area, mountPoints: others })).toBeUndefined();
    removeMemoryFolders({ ...area, mountPoints: others }, POD);
  });

  it.each<[string, (base: string, elsewhere: string) => void]>([
    ['a link', (base, elsewhere) => symlinkSync(elsewhere, base)],
    ['a file', (base) => writeFileSync(base, '')],
  ])('are not made where somebody has put %s before us', (_, prepare) => {
    const { base, make, area } = bench();
    const elsewhere = temporaryFolder();
    prepare(base, elsewhere);
    expect(make()).toBeUndefined();
    removeMemoryFolders(area, POD);
    sweepMemoryFolders(area, () => []);
    expect([readdirSync(elsewhere), existsSync(base)]).toEqual([[], true]);
  });

  it('are not made in a folder of another user (tried as root)', needs('root'), async () => {
    const { base, make, place } = bench();
    const { chownSync } = await import('node:fs');
    mkdirSync(base, { mode: 0o700 });
    chownSync(base, 12_345, 12_345);
    expect(make()).toBeUndefined();
    rmSync(base, { recursive: true });
    chownSync(place, 12_345, 12_345);
    expect(make()).toBeUndefined();
  });

  it('are not made where other users can rename our folders', () => {
    const { make, place } = bench();
    chmodSync(place, 0o777);
    expect(make()).toBeUndefined();
    chmodSync(place, 0o1777);
    expect(make()).toBeDefined();
  });

  it('close a folder of their own that was opened', () => {
    const { base, make } = bench();
    mkdirSync(base);
    chmodSync(base, 0o755);
    make();
    expect(modeOf(base)).toBe('700');
  });

  it('go with their Pod, and all folders above that are empty then', () => {
    const { area, make, place } = bench();
    writeFileSync(path.join(make() ?? '', 'secret'), 'x');
    const other = makeMemoryFolder(area, 'another', 'v', MEBIBYTE);
    removeMemoryFolders(area, POD);
    expect([existsSync(make() ?? '/'), existsSync(other?.folder ?? '')]).toEqual([true, true]);
    removeMemoryFolders(area, POD);
    removeMemoryFolders(area, 'another');
    expect(readdirSync(place)).toEqual([]);
    removeMemoryFolders(area, POD);
  });

  it('have a name below their own folder, whatever uid the manifest has', () => {
    const { area, base } = bench();
    for (const uid of ['..', '../../up', '/etc', 'x/../../y', '']) {
      const made = makeMemoryFolder(area, uid, 'v', MEBIBYTE)?.folder ?? '';
      expect(path.relative(base, made).split('/')).toHaveLength(3);
      expect(statSync(made).isDirectory()).toBe(true);
    }
  });
});

describe('the sweep of folders in memory (skipped where there is no tmpfs)', needs('/dev/shm in memory'), () => {
  it('leaves what a living podrun has made', () => {
    const { area, make } = bench();
    const folder = make() ?? '';
    sweepMemoryFolders(area, () => []);
    expect(existsSync(folder)).toBe(true);
  });

  it('removes what a podrun that is gone has left, but not of a Pod that may still run', () => {
    const { later, make, place } = bench();
    const folder = make() ?? '';
    sweepMemoryFolders(later, () => [POD]);
    expect(existsSync(folder)).toBe(true);
    sweepMemoryFolders(later, () => []);
    expect(readdirSync(place)).toEqual([]);
  });

  it('leaves folders of other state folders, until these are gone', () => {
    const { later, area, make, place } = bench();
    make();
    const other = { ...later, root: temporaryFolder() };
    sweepMemoryFolders(other, () => []);
    expect(readdirSync(place)).toEqual([BASE]);
    rmSync(area.root, { recursive: true });
    sweepMemoryFolders(other, () => []);
    expect(readdirSync(place)).toEqual([]);
  });

  it('finds folders of a state folder that has other names, too', () => {
    const { later, area, make, place } = bench();
    make();
    symlinkSync(area.root, path.join(area.root, 'alias'));
    sweepMemoryFolders({ ...later, root: path.join(area.root, 'alias') }, () => []);
    expect(readdirSync(place)).toEqual([]);
  });

  it('removes a folder without an owner link, left by a crash', () => {
    const { area, make, place } = bench();
    const folder = make() ?? '';
    rmSync(`${path.dirname(folder)}.owner`);
    sweepMemoryFolders(area, () => [POD]);
    expect(existsSync(folder)).toBe(true);
    sweepMemoryFolders(area, () => []);
    expect(readdirSync(place)).toEqual([]);
  });

  it('takes over where a new podrun keeps the Pod', () => {
    const { area, later, make } = bench();
    const folder = make() ?? '';
    expect(make('v', MEBIBYTE, later)).toBe(folder);
    sweepMemoryFolders(later, () => []);
    expect(existsSync(folder)).toBe(true);
    sweepMemoryFolders(area, () => []);
    expect(existsSync(folder)).toBe(false);
  });
});
