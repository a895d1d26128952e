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
const { node, packs } = JSON.parse(read([0, 2048]).latin1Slice());
const loaded = new Map();
load('#podrun');

/** What a module exports: the pack `run` is `#run`, everything else is Node's own. */
function load(id) {
  if (id[0] !== '#') return require(id);
  const known = loaded.get(id);
  if (known !== undefined) return known.exports;
  const { text, cache } = packs[id.slice(1)];
  // What V8 made of the pack when it was built: it takes two thirds of the time off a start. Of another version of
  // Node, or with other flags, it does not fit, and V8 compiles anew. (Node 20 has no `module.enableCompileCache`.)
  const cachedData = cache && node === `${process.version}-${process.arch}` ? read(cache) : undefined;
  const script = new vm.Script(read(text).latin1Slice(), { filename: `podrun${id}`, cachedData });
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

function read([from, size]) {
  const bytes = Buffer.allocUnsafeSlow(size);
  readSync(program, bytes, 0, size, from);
  return bytes;
}

function refuse(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}
