import { lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeFileExactly, makeFolderExactly } from '../src/exact-mode.ts';

const exists = expect.objectContaining({ code: 'EEXIST' });
const modeOf = (file: string): number => lstatSync(file).mode & 0o7777;

function newFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-modes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function withUmask(umask: number, step: () => void): void {
  const before = process.umask(umask);
  try {
    step();
  } finally {
    process.umask(before);
  }
}

it.each([0o077, 0o022, 0])('the umask %o changes no mode', (umask) => {
  const folder = newFolder();
  const [inside, file] = [path.join(folder, 'inside'), path.join(folder, 'file')];
  withUmask(umask, () => makeFolderExactly(inside, 0o1775));
  withUmask(umask, () => makeFileExactly(file, 0o646));
  expect([modeOf(inside), modeOf(file)]).toEqual([0o1775, 0o646]);
});

it('an existing file or folder stays unchanged, also at the end of a link', () => {
  const folder = newFolder();
  const [inside, file, link] = ['inside', 'file', 'link'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(inside, { mode: 0o700 });
  writeFileSync(file, 'text', { mode: 0o600 });
  symlinkSync('nowhere', link);
  for (const place of [inside, file, link]) {
    expect(() => makeFolderExactly(place, 0o755)).toThrow(exists);
    expect(() => makeFileExactly(place, 0o644)).toThrow(exists);
  }
  expect([modeOf(inside), modeOf(file)]).toEqual([0o700, 0o600]);
});
