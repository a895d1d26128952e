// Builds podrun, unless dist/ was built from the same sources. npm runs this script on `npm ci`, on an installation
// from a clone, and on the first `npx podrun` in this folder, which links the folder as a package. `npm install -g
// git+…`, which pre-commit calls, does not install the packages of the build: -g holds in the clone, too.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const root = import.meta.dirname;
const SOURCES = [
  'src',
  'bin',
  'build.mjs',
  'code-caches.mjs',
  'faces.mjs',
  'tsconfig.json',
  'tsconfig.library.json',
  'package.json',
  'package-lock.json',
];
/** The last file that a build writes. */
const BUILT = path.join(root, 'dist/THIRD_PARTY_LICENSES');

const isBuilt = existsSync(BUILT) && Math.max(...SOURCES.map(changedMs)) < statSync(BUILT).mtimeMs;
if (!isBuilt) {
  if (!existsSync(path.join(root, 'node_modules/esbuild'))) {
    const args = ['ci', '--ignore-scripts', '--no-global', '--location=project', '--include=dev', '--no-audit'];
    execFileSync('npm', args, { stdio: 'inherit', cwd: root });
  }
  await import('./build.mjs');
}

/** The last change of a file, or of anything in a folder. Removing a file changes its folder. */
function changedMs(name) {
  const file = path.join(root, name);
  const stats = statSync(file);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(file).map((entry) => changedMs(path.join(name, entry))));
}
