#!/usr/bin/env node
'use strict';
// Starts the built command line. Nothing else: what is here is paid for at every start.

if (process.platform === 'win32') {
  process.stderr.write('podrun needs Linux, macOS or WSL: it runs containers as POSIX processes.\n');
  process.exit(2);
}

const { readFileSync } = require('node:fs');
const path = require('node:path');
const vm = require('node:vm');

const program = path.join(__dirname, '..', 'dist', 'podrun.cjs');
const source = `(function(exports,require,module,__filename,__dirname){${readFileSync(program, 'latin1')}\n})`;
const script = new vm.Script(source, { filename: program, cachedData: compiledBefore(program) });
script.runInThisContext()({}, require, {}, program, path.dirname(program));

/**
 * What V8 made of the program when it was built: it takes two thirds of the time off a start. Of another version of
 * Node, or with other flags, V8 refuses it and compiles anew. (`module.enableCompileCache` does not exist on Node 20.)
 */
function compiledBefore(file) {
  try {
    return readFileSync(`${file}.${process.version}-${process.arch}.cache`);
  } catch {
    return undefined;
  }
}
