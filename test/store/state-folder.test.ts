import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { protectStateFolder } from '../../src/store/state-folder.ts';
import { temporaryFolder } from './temporary-store.ts';

/** The mode of a state folder after podrun has started, or the error message. */
function after(mode: number, has: readonly string[], home = '/home/u'): string {
  const root = temporaryFolder();
  for (const name of has) mkdirSync(path.join(root, name));
  chmodSync(root, mode);
  try {
    protectStateFolder(root, home === 'ROOT' ? root : home);
  } catch (error) {
    return (error as Error).message.replaceAll(root, 'ROOT');
  }
  return (statSync(root).mode & 0o7777).toString(8);
}

const REFUSED = 'cannot use the state folder ROOT: every user may write to it and replace its files';

it.each<[string, string, number, string[]]>([
  ['is private', '700', 0o700, ['pods']],
  ['was opened: it is closed', '700', 0o755, ['.locks', 'pods']],
  ['was opened for writing: it is closed', '700', 0o777, ['.locks', 'pods']],
  ['somebody has made, and left empty: it is closed', '700', 0o775, []],
  ['holds other things: what podrun makes in there is private anyway', '755', 0o755, ['src']],
  ['the group may write to: as before', '775', 0o775, ['src']],
  ['holds other things, and everybody may write to: it is refused', REFUSED, 0o777, ['src']],
  ['everybody may add to, but not replace: as before', '1777', 0o1777, ['src', '.locks']],
])('a state folder that %s', (_, want, mode, has) => {
  expect(after(mode, has).split('. Close')[0]).toBe(want);
});

it('the home folder is never taken for a state folder alone', () => {
  expect(after(0o755, ['.locks', 'pods'], 'ROOT')).toBe('755');
});

it('a missing state folder, or a path that is no folder, is left to the store to report', () => {
  const folder = temporaryFolder();
  writeFileSync(path.join(folder, 'file'), '');
  chmodSync(path.join(folder, 'file'), 0o644);
  protectStateFolder(path.join(folder, 'none'), '/home/u');
  protectStateFolder(path.join(folder, 'file'), '/home/u');
  expect(statSync(path.join(folder, 'file')).mode & 0o777).toBe(0o644);
});
