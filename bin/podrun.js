#!/usr/bin/env node
'use strict';
// Starts the built program with the code that V8 compiled before: a start without it takes 50 ms more.

const fs = require('node:fs');
const { homedir } = require('node:os');
const path = require('node:path');
const { Script } = require('node:vm');

if (process.platform === 'win32') refuse('podrun needs Linux, macOS or WSL: it runs containers as POSIX processes.');
const filename = path.join(__dirname, '../dist/podrun.cjs');
if (!fs.existsSync(filename)) refuse('podrun is not built yet: run npm run build.');
const source = fs.readFileSync(filename, 'latin1');
// V8 checks its version, its flags and the length of the program, but not its text. So the hash in the first line of
// the program names the cache.
const hash = source.slice(2, 18);
const name = `${hash}-${process.version}-${process.arch}`;
const { XDG_CACHE_HOME = '' } = process.env;
const folder = path.join(path.isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : path.join(homedir(), '.cache'), 'podrun');
// `apply` calls most of the program: its cache is kept for good. Before the first `apply`, it uses the cache of any
// command.
const kind = process.argv[2] === 'apply' ? 'apply' : 'first';
const cache = [`${folder}/${name}.apply`, `${filename}.${name}.apply`, `${folder}/${name}.first`].find(isTrusted);
const script = new Script(source, { filename, cachedData: cache && fs.readFileSync(cache) });
const isFitting = cache !== undefined && !script.cachedDataRejected;
if (!isFitting || (kind === 'apply' && cache.endsWith('.first'))) process.once('exit', keepCache);
const program = { exports: {} };
script.runInThisContext()(program.exports, require, program, filename);

/** True when only this user or the owner of the program may write the cache: V8 runs the code in it. */
function isTrusted(file) {
  try {
    const { uid, mode } = fs.statSync(file);
    return (mode & 0o022) === 0 && (uid === process.getuid() || uid === fs.statSync(filename).uid);
  } catch {
    return false;
  }
}

/** Stores the code that V8 has compiled so far for the next start. Removes the caches of other builds. */
function keepCache() {
  const temporary = `${folder}/${name}.${process.pid}`;
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    fs.writeFileSync(temporary, script.createCachedData(), { mode: 0o600, flush: true });
    fs.renameSync(temporary, `${folder}/${name}.${kind}`);
    for (const other of fs.readdirSync(folder))
      if (!other.startsWith(hash)) fs.rmSync(path.join(folder, other), { recursive: true });
  } catch {
    // podrun cannot write to the folder: the next start compiles again.
  }
}

function refuse(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}
