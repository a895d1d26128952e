// Runs random Pods in a simulated machine: npm run simulate -- --help. The bundle is in a temporary folder.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'podrun-simulate-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

const outfile = path.join(folder, 'simulate.mjs');
await bundle('test/simulation/simulate.ts', outfile);
process.setSourceMapsEnabled(true);
await import(pathToFileURL(outfile).href);
