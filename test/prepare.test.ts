import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execaSync } from 'execa';
import { afterEach, beforeEach, expect, it } from 'vitest';

const project = path.join(import.meta.dirname, '..');
const FILES = [
  'build.mjs',
  'code-caches.mjs',
  'faces.mjs',
  'tsconfig.json',
  'tsconfig.library.json',
  'package.json',
  'package-lock.json',
];
const BUILD = `import { appendFileSync, mkdirSync } from 'node:fs';
mkdirSync('dist', { recursive: true });
appendFileSync('dist/THIRD_PARTY_LICENSES', 'built\\n');
`;

let folder = '';
/** Runs the project's prepare.mjs in a folder whose build only counts. Answers the number of builds. */
function prepare(): number {
  execaSync(process.execPath, ['prepare.mjs'], { cwd: folder });
  return readFileSync(path.join(folder, 'dist/THIRD_PARTY_LICENSES'), 'utf8').split('\n').length - 1;
}
const changedNow = (file: string): void =>
  utimesSync(path.join(folder, file), Date.now() / 1000 + 60, Date.now() / 1000 + 60);

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'podrun-prepare-'));
  for (const name of ['src/cli', 'bin', 'node_modules/esbuild'])
    mkdirSync(path.join(folder, name), { recursive: true });
  for (const name of FILES) writeFileSync(path.join(folder, name), name === 'build.mjs' ? BUILD : '{}');
  for (const name of ['src/cli/main.ts', 'src/cli/old.ts']) appendFileSync(path.join(folder, name), '');
  copyFileSync(path.join(project, 'prepare.mjs'), path.join(folder, 'prepare.mjs'));
  // All sources are older than the build, also by the clock of the file system.
  for (const name of ['src', 'src/cli', 'src/cli/main.ts', 'src/cli/old.ts', 'bin', ...FILES]) {
    utimesSync(path.join(folder, name), 1_700_000_000, 1_700_000_000);
  }
});
afterEach(() => rmSync(folder, { recursive: true }));

it('builds once, also when npx runs it again', () => {
  expect([prepare(), prepare()]).toEqual([1, 1]);
});

it.each(['src/cli/main.ts', 'package-lock.json', 'build.mjs'])('builds again when %s has changed', (file) => {
  expect(prepare()).toBe(1);
  changedNow(file);
  expect(prepare()).toBe(2);
});

it('builds again when a source file is gone', () => {
  expect(prepare()).toBe(1);
  utimesSync(path.join(folder, 'dist/THIRD_PARTY_LICENSES'), 1_750_000_000, 1_750_000_000);
  rmSync(path.join(folder, 'src/cli/old.ts'));
  expect(prepare()).toBe(2);
});

it('builds again after a change of any file that the build imports', () => {
  const imported = readFileSync(path.join(project, 'build.mjs'), 'utf8').matchAll(/^import .* from '\.\/([^']+)'/gm);
  expect(FILES).toEqual(expect.arrayContaining([...imported].map(([, file]) => file)));
});
