// Builds dist/: one ESM program without runtime dependencies, split into chunks, so that a command loads only what
// it needs. Runs on `npm ci` (through `prepare`), on `npm run build` and before the tests.

import { rmSync } from 'node:fs';
import { build } from 'esbuild';

rmSync(new URL('dist/', import.meta.url), { recursive: true, force: true });
await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: { podrun: 'src/cli/main.ts' },
  outdir: 'dist',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // The default build of yaml is CommonJS: slower to load, and a dynamic import of it has no named exports.
  alias: { yaml: './node_modules/yaml/browser/index.js' },
  // Some bundled CommonJS calls require for Node's own modules.
  banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
  legalComments: 'none',
  logLevel: 'warning',
});
