#!/usr/bin/env node
// Starts the built command line. Nothing else: what is here is paid for at every start.
import module from 'node:module';

if (process.platform === 'win32') {
  process.stderr.write('podrun needs Linux, macOS or WSL: it runs containers as POSIX processes.\n');
  process.exit(2);
}
// By API and not by NODE_COMPILE_CACHE: an environment variable would leak into the containers. Not on Node 20.
module.enableCompileCache?.();
await import('../dist/podrun.mjs');
