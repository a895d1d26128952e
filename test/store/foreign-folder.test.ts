import { chownSync, mkdirSync, readdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { stateRoot } from '../../src/store/base/layout.ts';
import { protectStateFolder } from '../../src/store/state-folder.ts';
import { temporaryFolder } from './temporary-store.ts';
import { needs } from '../needs.ts';

const USER = 65533;

describe('root, with the HOME of a user', needs('root'), () => {
  it('has a store of its own', () => {
    const home = temporaryFolder();
    const own = path.join(userInfo().homedir, '.local/state/podrun');
    expect(stateRoot({ env: {}, home })).toBe(path.join(home, '.local/state/podrun'));
    chownSync(home, USER, USER);
    expect(stateRoot({ env: {}, home })).toBe(own);
    expect(stateRoot({ env: { XDG_STATE_HOME: path.join(home, 'xdg') }, home })).toBe(own);
  });

  it('is refused a folder of the user, and leaves nothing in it', () => {
    const root = path.join(temporaryFolder(), 'state');
    mkdirSync(root);
    chownSync(root, USER, USER);
    expect(() => protectStateFolder(root, '/root')).toThrow(`cannot use the state folder ${root} as root`);
    expect(readdirSync(root)).toEqual([]);
  });
});
