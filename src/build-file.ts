// The files of the build beside the program. They lie in dist/; in the single executable they are assets, by their
// names, and its launcher (bin/executable/main.js) runs them.

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { getRawAsset, isSea } from 'node:sea';
import { removeTree } from './remove-tree.ts';

/** The first argument of the single executable that makes it run a file of the build: the second one names the file. */
const RUN_FILE = '__run';

/** Reads a file of the build. */
export function readBuildFile(file: string): Buffer {
  return isSea() ? readAsset(path.basename(file)) : readFileSync(file);
}

/** The arguments with which `process.execPath` runs a file of the build. */
export function argumentsToRun(file: string): readonly string[] {
  return isSea() ? [RUN_FILE, path.basename(file)] : [file];
}

/** Loads a native module of the single executable. Undefined: this is not the executable. */
export function loadNativePart(name: string): unknown {
  if (!isSea()) return undefined;
  const contents = readAsset(name);
  // The loader of the system takes files only. It keeps the module when its file is gone.
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-native-'));
  try {
    const file = path.join(folder, name);
    writeFileSync(file, contents, { mode: 0o600 });
    const loaded = { exports: {} };
    process.dlopen(loaded, file);
    return loaded.exports;
  } finally {
    removeTree(folder);
  }
}

/** The program and the arguments that start podrun once more. */
export function callOfPodrun(): readonly [string, ...string[]] {
  return isSea() ? [process.execPath] : [process.execPath, ...process.execArgv, ...process.argv.slice(1, 2)];
}

/** The bytes of an asset, which must not be written to: they are memory of the executable. */
function readAsset(name: string): Buffer {
  return Buffer.from(getRawAsset(name) as ArrayBuffer);
}
