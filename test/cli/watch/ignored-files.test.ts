import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { IgnoredFiles } from '../../../src/cli/watch/ignored-files.ts';

const root = mkdtempSync(path.join(tmpdir(), 'podrun-ignored-files-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
for (const folder of ['.git', 'app/lib', 'dist']) mkdirSync(path.join(root, folder), { recursive: true });
writeFileSync(path.join(root, '.gitignore'), 'dist/\n*.log\n/app/made\n');
writeFileSync(path.join(root, 'app/.gitignore'), '!kept.log\nlib/*.gen.js\n');

const ignoredIn = (folder: string, ...files: readonly string[]): string[] => {
  const ignored = new IgnoredFiles(path.join(root, folder));
  return files.filter((file) => ignored.has(path.join(root, file), file.endsWith('/')));
};

it('what .gitignore files name is ignored, the rules of a lower folder first', () => {
  const files = ['app/a.js', 'app/a.log', 'app/kept.log', 'kept.log', 'app/lib/a.gen.js', 'app/made/', 'app/lib/'];
  expect(ignoredIn('app', ...files)).toEqual(['app/a.log', 'kept.log', 'app/lib/a.gen.js', 'app/made/']);
});

it('packages, the repository itself and files of editors are ignored', () => {
  const files = ['app/node_modules/', '.git/', 'app/a.js~', 'app/.a.js.swp', 'app/4913', 'app/.#a.js', 'app/.env'];
  expect(ignoredIn('.', ...files)).toEqual(files.slice(0, -1));
});

it('a folder that is ignored, and followed all the same, has rules of its own only', () => {
  expect(ignoredIn('dist', 'dist/server.js')).toEqual([]);
  expect(ignoredIn('.', 'dist/')).toEqual(['dist/']);
});
