// What npm runs when it has made a clone of this repository to install it, and on `npm ci`: builds podrun.
// `npm install -g git+…`, as pre-commit calls it, leaves out what a build needs: its -g holds for the clone, too.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

if (!existsSync(new URL('node_modules/rolldown', import.meta.url))) {
  const args = ['ci', '--ignore-scripts', '--no-global', '--location=project', '--include=dev', '--no-audit'];
  execFileSync('npm', args, { stdio: 'inherit', cwd: import.meta.dirname });
}
await import('./build.mjs');
