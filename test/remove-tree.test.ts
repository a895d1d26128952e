import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeTree } from '../src/remove-tree.ts';
import { NODE_MAJORS, nodeFor } from './nodes.ts';

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

/**
 * A program of two folders, `sync` and `async`, each with folders that deny their own user to look and to write. As
 * root, it becomes an ordinary user before it removes them. It prints what is left, and what another user's folder
 * makes of a removal.
 */
const AS_ORDINARY_USER = `
const fs = require('node:fs');
const { removeTree, removeLargeTree } = require('./remove-tree.cjs');
if (process.getuid() === 0) {
  fs.mkdirSync('foreign/below', { recursive: true });
  fs.chownSync('.', 65533, 65533);
  process.setgroups([]);
  process.setgid(65533);
  process.setuid(65533);
}
for (const name of ['sync', 'async']) {
  fs.mkdirSync(name + '/work/empty', { recursive: true });
  fs.mkdirSync(name + '/full/inner', { recursive: true });
  fs.writeFileSync(name + '/full/inner/file', '');
  fs.chmodSync(name + '/full/inner', 0o500);
  for (const folder of ['work/empty', 'work', 'full']) fs.chmodSync(name + '/' + folder, 0);
}
removeTree('sync');
removeLargeTree('async').then(async () => {
  const outcome = { left: fs.readdirSync('.').filter((name) => /sync/.test(name)) };
  if (fs.existsSync('foreign')) {
    try { removeTree('foreign'); } catch ({ code }) { outcome.sync = code; }
    await removeLargeTree('foreign').catch(({ code }) => { outcome.async = code; });
  }
  console.log(JSON.stringify(outcome));
});
`;

it.for(NODE_MAJORS)('removes folders that deny their own user everything, with Node.js %i', async (major, context) => {
  const node = nodeFor(context, major);
  const bundle = path.join(folder, 'remove-tree.cjs');
  const program = path.join(folder, 'program.cjs');
  await build({
    entryPoints: ['src/remove-tree.ts'],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile: bundle,
  });
  writeFileSync(program, AS_ORDINARY_USER);
  const printed = execFileSync(node, [program], { cwd: folder, encoding: 'utf8' });
  const foreign = process.getuid?.() === 0 ? { sync: 'EACCES', async: 'EACCES' } : {};
  expect(JSON.parse(printed)).toEqual({ left: [], ...foreign });
});
