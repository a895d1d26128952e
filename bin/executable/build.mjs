// Makes dist/executable/podrun of the build in dist/: Node.js and podrun in one file, for the platform of this machine.
// Run by `npm run build:executable`. The argument is another folder of a build.

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inject } from 'postject';
import { copyCodeCaches } from '../../code-caches.mjs';

const root = path.join(import.meta.dirname, '../..');
const dist = path.resolve(process.argv[2] ?? path.join(root, 'dist'));
/** The mark in Node.js that says whether it has a program in it. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
/** Files of the build that are functions already, see build.mjs. */
const FUNCTIONS = ['podrun.cjs', 'server.cjs'];
const MODULES = ['clusters.cjs', 'network-helper.cjs', 'image-puller.cjs'];

const folder = mkdtempSync(path.join(tmpdir(), 'podrun-executable-'));
try {
  const blob = path.join(folder, 'blob');
  const config = path.join(folder, 'config.json');
  const main = path.join(import.meta.dirname, 'main.js');
  writeFileSync(
    config,
    JSON.stringify({ main, output: blob, assets: assets(), disableExperimentalSEAWarning: true, useCodeCache: true }),
  );
  execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  const target = path.join(dist, 'executable');
  mkdirSync(target, { recursive: true });
  const executable = path.join(folder, 'podrun');
  copyFileSync(process.execPath, executable);
  chmodSync(executable, 0o755);
  await inject(executable, 'NODE_SEA_BLOB', readFileSync(blob), { sentinelFuse: FUSE });
  copyFileSync(executable, path.join(target, 'podrun'));
  copyFileSync(path.join(dist, 'THIRD_PARTY_LICENSES'), path.join(target, 'THIRD_PARTY_LICENSES'));
  copyLicenceOfNode(path.join(target, 'NODE_LICENSE'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Copies the licence of Node.js, which its copies must have, from where distributions have it. */
function copyLicenceOfNode(target) {
  rmSync(target, { force: true });
  const places = ['../LICENSE', '../share/doc/nodejs/LICENSE', '../share/doc/node/LICENSE'];
  const files = places.map((place) => path.join(path.dirname(process.execPath), place));
  const isLicence = (file) => existsSync(file) && readFileSync(file, 'utf8').startsWith('Node.js is licensed');
  const licence = files.find(isLicence);
  if (licence !== undefined) return copyFileSync(licence, target);
  console.log(
    `The licence of Node.js is not on this machine (${files.join(', ')}): before you pass dist/executable/podrun on, ` +
      `put the file LICENSE of Node.js ${process.version} beside it.`,
  );
}

/** The code that V8 of this version of Node.js has compiled for a file of the build. */
function cacheIn(caches, name) {
  const hash = readFileSync(path.join(dist, name), 'latin1').slice(2, 18);
  return path.join(caches, `${name}.${hash}-${process.version}-${process.arch}.apply`);
}

/** The files of the executable by their names. */
function assets() {
  const all = { 'descriptions.json': path.join(dist, 'descriptions.json') };
  // Another version of Node.js than this one may have made the build, with its own code caches.
  const isOfThisNode = FUNCTIONS.every((name) => existsSync(cacheIn(dist, name)));
  if (!isOfThisNode) copyCodeCaches(path.join(dist, '../bin/podrun.js'), folder);
  for (const name of FUNCTIONS) {
    all[name] = path.join(dist, name);
    all[`${name}.cache`] = cacheIn(isOfThisNode ? dist : folder, name);
  }
  for (const name of MODULES) {
    all[name] = path.join(folder, name);
    const text = readFileSync(path.join(dist, name), 'utf8');
    writeFileSync(all[name], `(function(exports,require,module,__filename){${text}\n})`, 'latin1');
  }
  const terminals = path.join(root, `node_modules/@lydell/node-pty-${process.platform}-${process.arch}/pty.node`);
  if (existsSync(terminals)) all['pty.node'] = terminals;
  return all;
}
