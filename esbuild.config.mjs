// Builds dist/: one ESM program without runtime dependencies, split into chunks, so that a command loads only what
// it needs. Runs on `npm ci` (through `prepare`), on `npm run build` and before the tests.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const root = import.meta.dirname;
const { version } = readJson('package.json');

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: { podrun: 'src/cli/main.ts' },
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  define: { PODRUN_VERSION: JSON.stringify(version) },
  // The default build of yaml is CommonJS: slower to load, and a dynamic import of it has no named exports.
  alias: { yaml: './node_modules/yaml/browser/index.js' },
  // Some bundled CommonJS calls require, for Node's own modules only: this is faster than createRequire.
  banner: { js: 'const require=process.getBuiltinModule;' },
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
}).catch(() => process.exit(1)); // esbuild has said why
removeStale(new Set(Object.keys(metafile.outputs)));
writeFileSync(path.join(root, 'dist/THIRD_PARTY_LICENSES'), licencesOf(bundledPackages(metafile.inputs)));

/** Chunks are named after their content. Those of the last build go only now, so that dist/ works at every moment. */
function removeStale(current) {
  const stale = readdirSync(path.join(root, 'dist')).filter((file) => !current.has(`dist/${file}`));
  for (const file of stale) rmSync(path.join(root, 'dist', file), { recursive: true });
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
