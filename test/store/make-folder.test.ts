import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from '../../src/store/disk/atomic-file.ts';

let root = '';
beforeEach(() => (root = mkdtempSync(path.join(tmpdir(), 'podrun-folder-'))));
afterEach(() => rmSync(root, { recursive: true }));

const noEntry = (): never => {
  throw Object.assign(new Error('ENOENT: no such file or directory'), { code: 'ENOENT' });
};

describe('a folder', () => {
  it('is made with its missing parents, once', () => {
    const folder = path.join(root, 'a/b/c');
    expect([makeFolder(folder), makeFolder(folder)]).toEqual([true, false]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('is made when another process makes its parent at the same moment', () => {
    const folder = path.join(root, 'a/b');
    let calls = 0;
    const make = (place: string): void => {
      calls++;
      if (calls > 1) return mkdirSync(place);
      mkdirSync(path.dirname(folder));
      noEntry();
    };
    expect(makeFolder(folder, make)).toBe(true);
    expect(statSync(folder).isDirectory()).toBe(true);
  });

  it('is given up where each mkdir fails with ENOENT, as in /proc', () => {
    expect(() => makeFolder(path.join(root, 'a'), noEntry)).toThrow('ENOENT');
  });
});
