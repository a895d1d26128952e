import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { giveToGroup } from '../../../src/kubelet/volumes/fs-group.ts';
import { needs } from '../../needs.ts';

const OWN_GROUP = process.getgid?.() ?? 0;
const isRoot = process.getuid?.() === 0;
/** Root can give files to any group, other users only to their own. */
const GROUP = isRoot ? 4321 : OWN_GROUP;
const WRITABLE = { gid: GROUP, isReadOnly: false, onlyOnMismatch: false };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'podrun-group-'));
  chmodSync(folder, 0o777);
});
afterEach(() => rmSync(folder, { recursive: true }));

function file(name: string, mode: number): string {
  const place = path.join(folder, name);
  mkdirSync(path.dirname(place), { recursive: true });
  writeFileSync(place, '');
  chmodSync(place, mode);
  return place;
}

const seen = (place: string): string => {
  const { mode, gid } = lstatSync(place);
  return `${(mode & 0o7777).toString(8)} ${gid === GROUP ? 'given' : gid}`;
};

describe('a volume that is given to a group', () => {
  it.each([
    {
      isReadOnly: false,
      wanted: { volume: '2777 given', folder: '2770 given', file: '660 given', script: '775 given' },
    },
    {
      isReadOnly: true,
      wanted: { volume: '2777 given', folder: '2750 given', file: '640 given', script: '755 given' },
    },
  ])('is open to it with all that is in it (only to be read: $isReadOnly)', ({ isReadOnly, wanted }) => {
    const [secret, script] = [file('a/b/secret', 0o600), file('script', 0o755)];
    chmodSync(path.join(folder, 'a'), 0o700);
    giveToGroup(folder, { ...WRITABLE, isReadOnly });
    expect({
      volume: seen(folder),
      folder: seen(path.join(folder, 'a')),
      file: seen(secret),
      script: seen(script),
    }).toEqual(wanted);
  });

  it('leaves what links lead to alone', () => {
    const outside = mkdtempSync(path.join(tmpdir(), 'podrun-outside-'));
    const mine = path.join(outside, 'mine');
    writeFileSync(mine, '', { mode: 0o600 });
    symlinkSync(mine, path.join(folder, 'file'));
    symlinkSync(outside, path.join(folder, 'folder'));
    symlinkSync('/nowhere', path.join(folder, 'dangling'));
    giveToGroup(folder, WRITABLE);
    expect([statSync(mine), statSync(outside)].map(({ mode, gid }) => [mode & 0o7777, gid])).toEqual([
      [0o600, OWN_GROUP],
      [0o700, OWN_GROUP],
    ]);
    rmSync(outside, { recursive: true });
  });

  it('stays as it is when it belongs to the group already, where that is enough', () => {
    const before = file('before', 0o600);
    giveToGroup(folder, WRITABLE);
    const after = file('after', 0o600);
    giveToGroup(folder, { ...WRITABLE, onlyOnMismatch: true });
    expect([seen(before), statSync(after).mode & 0o777]).toEqual(['660 given', 0o600]);
    chmodSync(folder, 0o700);
    giveToGroup(folder, { ...WRITABLE, onlyOnMismatch: true });
    expect(seen(after)).toBe('660 given');
  });

  it('keeps setuid programs what they are (only root can give them away)', needs('root'), () => {
    const program = file('program', 0o755);
    chownSync(program, 1234, 1234);
    chmodSync(program, 0o4755);
    giveToGroup(folder, WRITABLE);
    expect(seen(program)).toBe('4775 given');
  });
});
