#!/usr/bin/env node
'use strict';
// Starts the built program with the code that V8 compiled before: a start without it takes 50 ms more.

const fs = require('node:fs');
const { homedir, tmpdir } = require('node:os');
const path = require('node:path');
const { Script } = require('node:vm');

if (process.platform === 'win32') refuse('podrun needs Linux, macOS or WSL: it runs containers as POSIX processes.');
const dist = path.join(__dirname, '../dist');
const SERVER = '../dist/server.cjs';
if (!fs.existsSync(path.join(dist, 'podrun.cjs'))) refuse('podrun is not built yet: run npm run build.');
const { XDG_CACHE_HOME = '' } = process.env;
const folder = path.join(path.isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : path.join(home(), '.cache'), 'podrun');
// `apply` calls most of the program: its cache is kept for good. Before the first `apply`, it uses the cache of any
// command. The commands here call little of the program: with the cache of a `get`, they start faster by 12 to 15 %.
const isLight = ['--version', 'describe', 'events', 'get', 'logs', 'validate', 'version'].includes(process.argv[2]);
if (process.argv[2] === 'run-etcd') load('etcd.cjs', 'etcd-', 'apply');
else if (process.argv[2] === 'serve') load('server.cjs', 'server-', 'apply').startServe();
else load('podrun.cjs', '', process.argv[2] === 'apply' ? 'apply' : 'first');

/** Runs a file of the build. Its caches begin with `prefix`. */
function load(file, prefix, kind) {
  const filename = path.join(dist, file);
  const source = fs.readFileSync(filename, 'latin1');
  // V8 checks its version, its flags and the length of the program, but not its text. So the hash in the first line of
  // the program names the cache.
  const hash = source.slice(2, 18);
  const name = `${hash}-${process.version}-${process.arch}`;
  const own = `${folder}/${prefix}${name}`;
  const kinds = isLight ? ['first', 'apply'] : ['apply', 'first'];
  const places = kinds.flatMap((each) => [`${own}.${each}`, `${filename}.${name}.${each}`]);
  const cache = places.find((each) => isTrusted(each, filename));
  const script = new Script(source, { filename, cachedData: cache && fs.readFileSync(cache) });
  const isFitting = cache !== undefined && !script.cachedDataRejected;
  const isLast = isFitting && (kind === 'first' || cache.endsWith('.apply'));
  if (!isLast) process.once('exit', () => keepCache(script, { own: `${own}.${kind}`, prefix, hash }));
  const program = { exports: {} };
  script.runInThisContext()(program.exports, requireOfBuild, program, filename);
  return program.exports;
}

/** The server is a file of the build that most commands do not need. */
function requireOfBuild(id) {
  return id === SERVER ? load('server.cjs', 'server-', 'apply') : require(id);
}

/** True when only this user or the owner of the program may write the cache: V8 runs the code in it. */
function isTrusted(file, filename) {
  try {
    const { uid, mode } = fs.statSync(file);
    return (mode & 0o022) === 0 && (uid === process.getuid() || uid === fs.statSync(filename).uid);
  } catch {
    return false;
  }
}

/** The home folder. A user without one has the same folder instead as in src/user.ts. */
function home() {
  try {
    if (path.isAbsolute(homedir())) return homedir();
  } catch {
    // HOME is not set, and /etc/passwd does not know the user.
  }
  return path.join(tmpdir(), `podrun-home-${process.geteuid()}`);
}

/** Stores the code that V8 has compiled so far for the next start. Removes the caches of other builds. */
function keepCache(script, { own, prefix, hash }) {
  const temporary = `${own}.${process.pid}`;
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    fs.writeFileSync(temporary, script.createCachedData(), { mode: 0o600, flush: true });
    fs.renameSync(temporary, own);
    for (const other of fs.readdirSync(folder)) {
      const isOfFile = prefix === '' ? !/^(etcd|server)-/.test(other) : other.startsWith(prefix);
      if (isOfFile && !other.startsWith(prefix + hash)) fs.unlinkSync(path.join(folder, other));
    }
  } catch {
    // podrun cannot write to the folder: the next start compiles again.
  }
}

function refuse(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}
