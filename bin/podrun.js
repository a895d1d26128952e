#!/usr/bin/env node
'use strict';
// Starts the built command line. Nothing else: what is here is paid for at every start.

const { openSync, readSync } = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

if (process.platform === 'win32') refuse('podrun needs Linux, macOS or WSL: it runs containers as POSIX processes.');

// The program is one file of packs (build.packs.mjs tells its format), read when they are needed. It stays open: when
// podrun is installed anew, this one goes on with what it was started as.
const file = path.join(__dirname, '..', 'dist', 'podrun.packs');
const program = open() ?? refuse('podrun is not built yet: run npm run build.');
const loaded = new Map();
let buffer = Buffer.allocUnsafeSlow(2048);
const { node, packs } = JSON.parse(read([0, 2048]).latin1Slice());
load('#podrun');

/** What a module exports: the pack `run` is `#run`, everything else is Node's own. */
function load(id) {
  if (id[0] !== '#') return require(id);
  const known = loaded.get(id);
  if (known !== undefined) return known.exports;
  const { text, cache } = packs[id.slice(1)];
  // What V8 made of the pack when it was built: it takes two thirds of the time off a start. Of another version of
  // Node, or with other flags, it does not fit, and V8 compiles anew. (Node 20 has no `module.enableCompileCache`.)
  const source = read(text).latin1Slice();
  const cachedData = cache && node === `${process.version}-${process.arch}` ? read(cache) : undefined;
  const script = new vm.Script(source, { filename: `podrun${id}`, cachedData });
  const module = { exports: {} };
  loaded.set(id, module);
  script.runInThisContext()(load, module.exports, module, file);
  return module.exports;
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
