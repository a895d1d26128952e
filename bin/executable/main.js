'use strict';
// The main script of the single executable. The files of the build are its assets, as functions in Latin-1 (build.mjs);
// an asset `FILE.cache` is the code that V8 compiled for FILE.

const { isBuiltin } = require('node:module');
const path = require('node:path');
const { getRawAsset } = require('node:sea');
const { Script } = require('node:vm');

// podrun starts itself so to run a file of the build as a process (src/build-file.ts).
const [word, file] = process.argv.slice(2);
if (word === '__run') {
  process.argv.splice(1, 2);
  load(file);
} else if (word === 'serve') load('server.cjs').startServe();
else load(word === 'run-etcd' ? 'etcd.cjs' : 'podrun.cjs');

function load(name) {
  const filename = path.join(path.dirname(process.execPath), name);
  const source = Buffer.from(getRawAsset(name)).latin1Slice();
  const script = new Script(source, { filename, cachedData: cacheOf(name) });
  const program = { exports: {} };
  script.runInThisContext()(program.exports, requireOfBuild, program, filename);
  return program.exports;
}

/** Undefined: the build has no cache of this file. */
function cacheOf(name) {
  try {
    return Buffer.from(getRawAsset(`${name}.cache`));
  } catch {
    return undefined;
  }
}

function requireOfBuild(id) {
  if (id.startsWith('../dist/')) return load(path.basename(id));
  if (isBuiltin(id)) return require(id);
  // Some packages try further ones, which they can do without.
  throw Object.assign(new Error(`Cannot find module '${id}'`), { code: 'MODULE_NOT_FOUND' });
}
