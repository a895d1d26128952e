// Lives random Pods in a simulated machine: npm run simulate -- --help. Node cannot load TypeScript by itself: the
// simulation is bundled first, into a folder of its own that is gone afterwards.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = path.join(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const folder = mkdtempSync(path.join(tmpdir(), 'podrun-simulate-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

const outfile = path.join(folder, 'simulate.mjs');
await build({
  absWorkingDir: root,
  entryPoints: ['test/simulation/simulate.ts'],
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
process.setSourceMapsEnabled(true);
await import(pathToFileURL(outfile).href);
