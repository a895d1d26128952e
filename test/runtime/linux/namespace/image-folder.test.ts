import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  commonFolders,
  haveSameOwner,
  partOver,
  whyNotOver,
} from '../../../../src/runtime/linux/namespace/image-folder.ts';
import { needs } from '../../../needs.ts';

const parent = mkdtempSync(path.join(tmpdir(), 'podrun-common-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

function tree(...folders: readonly string[]): string {
  const folder = mkdtempSync(path.join(parent, 'tree-'));
  for (const name of folders) mkdirSync(path.join(folder, name), { recursive: true });
  return folder;
}

describe('a folder with files of an image and a machine', () => {
  const machine = tree('usr/bin', 'usr/share', 'etc/a/b');
  symlinkSync('usr/bin', path.join(machine, 'bin'));
  symlinkSync('missing', path.join(machine, 'dangling'));
  writeFileSync(path.join(machine, 'file'), '');

  it('have the folders in common that both have, to any depth, outer ones first', () => {
    const { folders, links } = commonFolders(tree('usr/bin/deeper', 'etc/a/b', 'own/usr', 'file', 'dangling'), machine);
    expect(folders.filter((folder) => folder.startsWith(path.join(machine, 'etc')))).toEqual(
      ['etc', 'etc/a', 'etc/a/b'].map((name) => path.join(machine, name)),
    );
    expect(folders.toSorted()).toEqual(
      ['etc', 'etc/a', 'etc/a/b', 'usr', 'usr/bin'].map((name) => path.join(machine, name)),
    );
    expect(links).toEqual([]);
  });

  it('do not agree where the machine has a link to a folder', () => {
    expect(commonFolders(tree('bin', 'usr'), machine).links).toEqual([path.join(machine, 'bin')]);
    const linked = tree('usr/bin');
    symlinkSync('usr/bin', path.join(linked, 'bin'));
    expect(commonFolders(linked, machine).links).toEqual([]);
  });

  it('have the same owner only with the same mode', () => {
    const open = tree();
    chmodSync(open, 0o755);
    const closed = tree();
    chmodSync(closed, 0o700);
    expect([haveSameOwner(open, machine), haveSameOwner(closed, tree())]).toEqual([false, true]);
  });
});

it('an empty folder lies over nothing', () => {
  const folder = tree('empty', 'full/of');
  expect(['/', '/empty', '/full', '/none'].map((at) => partOver(folder, at))).toEqual([
    folder,
    undefined,
    path.join(folder, 'full'),
    undefined,
  ]);
});

describe('a folder is refused', needs('Linux'), () => {
  it('where the machine has no overlays', () => {
    expect(whyNotOver(parent, { layers: undefined })).toMatch(/^the folder \S+ of the image map needs overlays/);
  });

  it('where it would hide programs of the machine', () => {
    const folder = tree('proc/self/x');
    expect(whyNotOver(folder, { layers: 'disk' })).toMatch(
      new RegExp(`^${folder}/proc/self would hide what is in /proc/self, .* put its files into ${folder}/proc/\\d+$`),
    );
  });
});
