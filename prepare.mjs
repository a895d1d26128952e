// npm runs this on `npm ci`, in a clone from which podrun is installed, and for the first `npx podrun` in this folder,
// which links the folder as a package: builds podrun, unless what there is was built from the same sources.
// `npm install -g git+…`, as pre-commit calls it, leaves out what a build needs: its -g holds for the clone, too.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const root = import.meta.dirname;
const SOURCES = [
  'src',
  'bin',
  'build.mjs',
  'tsconfig.json',
  'tsconfig.library.json',
  'package.json',
  'package-lock.json',
];
/** The file that a build writes last. */
const BUILT = path.join(root, 'dist/THIRD_PARTY_LICENSES');

const isBuilt = existsSync(BUILT) && Math.max(...SOURCES.map(changedMs)) < statSync(BUILT).mtimeMs;
if (!isBuilt) {
  if (!existsSync(path.join(root, 'node_modules/esbuild'))) {
    const args = ['ci', '--ignore-scripts', '--no-global', '--location=project', '--include=dev', '--no-audit'];
    execFileSync('npm', args, { stdio: 'inherit', cwd: root });
  }
  await import('./build.mjs');
}

/** When the file, or anything in the folder, has changed last; a folder changes when a file in it is removed. */
function changedMs(name) {
  const file = path.join(root, name);
  const stats = statSync(file);
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(file).map((entry) => changedMs(path.join(name, entry))));
}
