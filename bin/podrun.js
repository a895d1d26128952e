#!/bin/sh
':' /*
# A shell reads this, and JavaScript does not. Up to version 20, Node parses all certificates of NODE_EXTRA_CA_CERTS
# whenever it starts, 40 ms for those of a Linux distribution. podrun asks for nobody's certificates. What it starts
# finds the variable again: see below.
if [ -n "${NODE_EXTRA_CA_CERTS-}" ]; then
  export PODRUN_EXTRA_CA_CERTS="$NODE_EXTRA_CA_CERTS"
  unset NODE_EXTRA_CA_CERTS
fi
exec node "$0" "$@"
*/
'use strict';
// Starts the built command line. Nothing else: what is here is paid for at every start.

const { openSync, readSync } = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const { PODRUN_EXTRA_CA_CERTS } = process.env;
if (PODRUN_EXTRA_CA_CERTS !== undefined) {
  process.env.NODE_EXTRA_CA_CERTS = PODRUN_EXTRA_CA_CERTS;
  delete process.env.PODRUN_EXTRA_CA_CERTS;
}

if (process.platform === 'win32') refuse('podrun needs Linux, macOS or WSL: it runs containers as POSIX processes.');

// The program is one file of packs (build.packs.mjs tells its format), read when they are needed. It stays open: when
// podrun is installed anew, this one goes on with what it was started as.
const file = path.join(__dirname, '..', 'dist', 'podrun.packs');
const program = open() ?? refuse('podrun is not built yet: run npm run build.');
const loaded = new Map();
let buffer = Buffer.allocUnsafeSlow(8192);
const { node, build, packs } = JSON.parse(read([0, 8192]).latin1Slice());
// What starts processes and opens sockets takes Node 8 ms to load. Most commands do neither.
const SLOW = /^node:(?:child_process|fs\/promises|module|net|stream(?:\/.*)?|tty)$/;
let compiled;
load('#podrun');

/** A module of Node's, loaded when something of it is asked for. */
function whenAsked(id) {
  let exported;
  return new Proxy({}, { get: (_, name) => (exported ??= require(id))[name] });
}

/** What a module exports: the pack `run` is `#run`, everything else is Node's own. */
function load(id) {
  if (id[0] !== '#') return SLOW.test(id) ? whenAsked(id) : require(id);
  const known = loaded.get(id);
  if (known !== undefined) return known.exports;
  const { text, cache } = packs[id.slice(1)];
  const source = read(text).latin1Slice();
  const script = (cache && compiledBefore(id, source, cache)) ?? new vm.Script(source, { filename: `podrun${id}` });
  const module = { exports: {} };
  loaded.set(id, module);
  script.runInThisContext()(load, module.exports, module, file);
  return module.exports;
}

/**
 * With what V8 made of a pack when it was built, or, where that does not fit, when podrun was started before: it takes
 * two thirds of the time off a start. (Node 20 has no `module.enableCompileCache`.)
 */
function compiledBefore(id, source, cache) {
  const filename = `podrun${id}`;
  if (node === `${process.version}-${process.arch}`) {
    const script = new vm.Script(source, { filename, cachedData: read(cache) });
    if (!script.cachedDataRejected) return script;
  }
  compiled ??= new (require('./compiled.js').Compiled)(build);
  // Another text: of the same, V8 answers what it has just compiled.
  return compiled.script(id.slice(1), `${source}\n`, filename);
}

function open() {
  try {
    return openSync(file);
  } catch {
    return undefined;
  }
}

/** Answers a part of the file, until the next is read: fresh memory costs more than what is read into it. */
function read([from, size]) {
  if (buffer.length < size) buffer = Buffer.allocUnsafeSlow(size);
  readSync(program, buffer, 0, size, from);
  return buffer.subarray(0, size);
}

function refuse(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}
