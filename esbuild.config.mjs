// Builds dist/: one program without runtime dependencies, in one file, and beside it what V8 makes of it, so that a
// start need not compile anything. Runs on `npm ci` (through `prepare`), on `npm run build` and before the tests.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build } from 'esbuild';

const root = import.meta.dirname;
const dist = path.join(root, 'dist');
const { version } = readJson('package.json');

const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  entryPoints: { podrun: 'src/cli/main.ts' },
  outdir: 'dist',
  outExtension: { '.js': '.cjs' },
  write: false,
  bundle: true,
  minify: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20.19',
  // Node's own modules come at once, and without a loader of modules.
  supported: { 'dynamic-import': false },
  define: { PODRUN_VERSION: JSON.stringify(version) },
  // The default build of yaml is CommonJS: larger, and slower to load.
  alias: { yaml: './node_modules/yaml/browser/index.js' },
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
}).catch(() => process.exit(1)); // esbuild has said why

mkdirSync(dist, { recursive: true });
const program = path.join(dist, 'podrun.cjs');
const cache = `${program}.${process.version}-${process.arch}.cache`;
// V8 knows a program by its length alone: an old cache must be gone before a new program is there.
for (const file of readdirSync(dist)) if (file !== 'podrun.cjs') rmSync(path.join(dist, file), { recursive: true });
replace(program, outputFiles[0].contents);
writeFileSync(path.join(dist, 'THIRD_PARTY_LICENSES'), licencesOf(bundledPackages(metafile.inputs)));
replace(cache, compiledByUse());

/**
 * Runs a small Pod with the new program, in a process and a folder of its own, and answers what V8 had compiled by
 * then: with the functions that a start calls, not only the outline of the file.
 */
function compiledByUse() {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-build-'));
  try {
    const manifest = path.join(folder, 'pod.yaml');
    const container = '{ name: main, image: busybox, command: ["true"], env: [{ name: A, value: b }] }';
    writeFileSync(
      manifest,
      `apiVersion: v1\nkind: Pod\nmetadata: { name: warm }\nspec:\n  restartPolicy: Never\n  containers: [${container}]\n`,
    );
    const made = path.join(folder, 'cache');
    // The same source text as in bin/podrun.js, or the cache would not fit.
    const warmUp = `
      const fs = require('node:fs'), vm = require('node:vm'), path = require('node:path');
      const program = ${JSON.stringify(program)};
      const source = '(function(exports,require,module,__filename,__dirname){' + fs.readFileSync(program, 'latin1') + '\\n})';
      const script = new vm.Script(source, { filename: program });
      process.on('exit', () => fs.writeFileSync(${JSON.stringify(made)}, script.createCachedData()));
      process.argv = [process.argv[0], 'podrun', 'apply', ${JSON.stringify(manifest)}, '--state-dir', ${JSON.stringify(folder)}];
      script.runInThisContext()({}, require, {}, program, path.dirname(program));
    `;
    execFileSync(process.execPath, ['-e', warmUp], { stdio: ['ignore', 'ignore', 'inherit'], cwd: folder });
    return readFileSync(made);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whoever starts podrun meanwhile gets the old file or the new one, whole. */
function replace(file, contents) {
  writeFileSync(`${file}.${process.pid}`, contents);
  renameSync(`${file}.${process.pid}`, file);
}

/** Folders of the packages whose code is in the bundle: their licences ask for their texts to travel along. */
function bundledPackages(inputs) {
  const folders = Object.keys(inputs).flatMap((file) => file.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []);
  return [...new Set(folders)].toSorted();
}

function licencesOf(folders) {
  const texts = folders.map((folder) => {
    const { name, version: packageVersion, license } = readJson(`${folder}/package.json`);
    const file = readdirSync(path.join(root, folder)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no licence text: it must not be bundled`);
    return `${name} ${packageVersion} (${license})\n\n${readFileSync(path.join(root, folder, file), 'utf8').trim()}\n`;
  });
  return [`podrun contains code of the following packages.\n`, ...texts].join(`\n${'-'.repeat(80)}\n\n`);
}

function readJson(file) {
  return JSON.parse(readFileSync(path.join(root, file), 'utf8'));
}
