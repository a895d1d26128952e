#!/usr/bin/env node
'use strict';
// Starts the built command line. Nothing else: what is here is paid for at every start.

const { readFileSync } = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

if (process.platform === 'win32') refuse('podrun needs Linux, macOS or WSL: it runs containers as POSIX processes.');

const program = path.join(__dirname, '..', 'dist', 'podrun.cjs');
const text = read(program, 'latin1') ?? refuse('podrun is not built yet: run npm run build.');
const source = `(function(exports,require,module,__filename,__dirname){${text}\n})`;
// What V8 made of the program when it was built: it takes two thirds of the time off a start. Of another version of
// Node, or with other flags, V8 refuses it and compiles anew. (`module.enableCompileCache` does not exist on Node 20.)
const cachedData = read(`${program}.${process.version}-${process.arch}.cache`);
const script = new vm.Script(source, { filename: program, cachedData });
script.runInThisContext()({}, require, {}, program, path.dirname(program));

function read(file, encoding) {
  try {
    return readFileSync(file, encoding);
  } catch {
    return undefined;
  }
}

function refuse(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}
