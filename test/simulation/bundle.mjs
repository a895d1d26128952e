// Node cannot load TypeScript by itself: the simulation is bundled first.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { faces } from '../../faces.mjs';

const root = path.join(import.meta.dirname, '../..');

/** Bundles a program that runs the simulation. */
export async function bundle(program, outfile) {
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  await build({
    absWorkingDir: root,
    entryPoints: [program],
    outfile,
    bundle: true,
    // Reports show the names of invariants.
    keepNames: true,
    sourcemap: 'inline',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    // The simulation takes no part of a room that it does not import: not the pages, which are files of other types.
    plugins: [faces],
    define: { PODRUN_VERSION: JSON.stringify(version) },
    // Some bundled packages call require().
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'warning',
  });
}
