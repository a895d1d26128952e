import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeTree } from '../../src/store/disk/atomic-file.ts';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'podrun-remove-'));
  mkdirSync(path.join(folder, 'kept'));
  writeFileSync(path.join(folder, 'kept/file'), '');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('removes a folder with all that is in it, and nothing that links in it lead to', () => {
  const gone = path.join(folder, 'gone');
  mkdirSync(path.join(gone, 'a/b'), { recursive: true });
  writeFileSync(path.join(gone, 'a/b/file'), '');
  symlinkSync(path.join(folder, 'kept'), path.join(gone, 'a/link'));
  symlinkSync('nowhere', path.join(gone, 'broken'));
  removeTree(gone);
  expect(existsSync(gone)).toBe(false);
  expect(readdirSync(path.join(folder, 'kept'))).toEqual(['file']);
});

it('removes a link itself and a file, and accepts a missing path', () => {
  const link = path.join(folder, 'link');
  symlinkSync(path.join(folder, 'kept'), link);
  removeTree(link);
  expect(readdirSync(folder)).toEqual(['kept']);
  expect(readdirSync(path.join(folder, 'kept'))).toEqual(['file']);
  removeTree(path.join(folder, 'kept/file'));
  expect(readdirSync(path.join(folder, 'kept'))).toEqual([]);
  removeTree(path.join(folder, 'nothing'));
});
