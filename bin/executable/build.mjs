// Makes an executable of the build in dist/: Node.js and podrun in one file, dist/executable/podrun. Run by
// `npm run build:executable`. The argument is another folder of a build.
//
// --node FILE    the Node.js to put in, of the same version as process.execPath, which is the default
// --arch ARCH    the architecture of that Node.js
// --pty FILE     the module that makes terminals on that architecture
// --output DIR   the folder of the executable

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
import { parseArgs } from 'node:util';
import { inject } from 'postject';
import { copyCodeCaches } from '../../code-caches.mjs';

const root = path.join(import.meta.dirname, '../..');
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    node: { type: 'string', default: process.execPath },
    arch: { type: 'string', default: process.arch },
    pty: { type: 'string' },
    output: { type: 'string' },
  },
});
const dist = path.resolve(positionals[0] ?? path.join(root, 'dist'));
const target = path.resolve(flags.output ?? path.join(dist, 'executable'));
/** V8 compiles code for the architecture on which it runs. */
const isOfThisMachine = flags.arch === process.arch;
/** The mark in Node.js that says whether it has a program in it. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
/** Files of the build that are functions already, see build.mjs. */
const FUNCTIONS = ['podrun.cjs', 'server.cjs', 'etcd.cjs'];
/** The large ones of them, which come with compiled code. */
const CACHED = ['podrun.cjs', 'server.cjs'];
const MODULES = ['clusters.cjs', 'network-helper.cjs', 'image-puller.cjs'];

const folder = mkdtempSync(path.join(tmpdir(), 'podrun-executable-'));
try {
  const blob = path.join(folder, 'blob');
  const config = path.join(folder, 'config.json');
  const main = path.join(import.meta.dirname, 'main.js');
  writeFileSync(
    config,
    JSON.stringify({
      main,
      output: blob,
      assets: assets(),
      disableExperimentalSEAWarning: true,
      useCodeCache: isOfThisMachine,
    }),
  );
  execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: ['ignore', 'ignore', 'inherit'] });
  mkdirSync(target, { recursive: true });
  const executable = path.join(folder, 'podrun');
  copyFileSync(flags.node, executable);
  chmodSync(executable, 0o755);
  await inject(executable, 'NODE_SEA_BLOB', readFileSync(blob), { sentinelFuse: FUSE });
  copyFileSync(executable, path.join(target, 'podrun'));
  copyFileSync(path.join(dist, 'THIRD_PARTY_LICENSES'), path.join(target, 'THIRD_PARTY_LICENSES'));
  copyLicenceOfNode(path.join(target, 'NODE_LICENSE'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Copies the licence of Node.js, which its copies must have, from where distributions have it. */
function copyLicenceOfNode(copy) {
  rmSync(copy, { force: true });
  const places = ['../LICENSE', '../share/doc/nodejs/LICENSE', '../share/doc/node/LICENSE'];
  const files = places.map((place) => path.join(path.dirname(flags.node), place));
  const isLicence = (file) => existsSync(file) && readFileSync(file, 'utf8').startsWith('Node.js is licensed');
  const licence = files.find(isLicence);
  if (licence !== undefined) return copyFileSync(licence, copy);
  console.log(
    `The licence of Node.js is not on this machine (${files.join(', ')}): before you pass the executable on, ` +
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
  for (const name of FUNCTIONS) all[name] = path.join(dist, name);
  if (isOfThisMachine) Object.assign(all, codeCaches());
  for (const name of MODULES) {
    all[name] = path.join(folder, name);
    const text = readFileSync(path.join(dist, name), 'utf8');
    writeFileSync(all[name], `(function(exports,require,module,__filename){${text}\n})`, 'latin1');
  }
  const terminals =
    flags.pty ?? path.join(root, `node_modules/@lydell/node-pty-${process.platform}-${flags.arch}/pty.node`);
  if (existsSync(terminals)) all['pty.node'] = terminals;
  return all;
}

function codeCaches() {
  // Another version of Node.js than this one may have made the build, with its own code caches.
  const isOfThisNode = CACHED.every((name) => existsSync(cacheIn(dist, name)));
  if (!isOfThisNode) copyCodeCaches(path.join(dist, '../bin/podrun.js'), folder);
  return Object.fromEntries(CACHED.map((name) => [`${name}.cache`, cacheIn(isOfThisNode ? dist : folder, name)]));
}
