// Node cannot load TypeScript by itself: what runs the simulation is bundled first.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const root = path.join(import.meta.dirname, '../..');

/** Bundles a program that runs the simulation. */
export async function bundle(program, outfile) {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  await build({
    absWorkingDir: root,
    entryPoints: [program],
    outfile,
    bundle: true,
    // The names of the invariants are shown.
    keepNames: true,
    sourcemap: 'inline',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    define: { PODRUN_VERSION: JSON.stringify(version) },
    // Some of what is bundled calls require().
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'warning',
  });
}
