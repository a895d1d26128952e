import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { needs } from '../needs.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A short one, with a limit of memory, so that its runner is tried, too. `.ci/run` runs all that are in scope.json. */
const THEME = 'exit-codes';

it(`conformance scenarios of theme ${THEME} pass`, needs('cgroups'), async () => {
  const runner = ['test/conformance/run.mjs', '--theme', THEME, '--jobs', '4'];
  // A failed scenario makes the runner, and with it this call, fail: what it printed says which and why.
  const { stdout } = await promisify(execFile)(process.execPath, runner, { cwd: root });
  expect(stdout).toMatch(/^[1-9]\d* passed, 0 failed$/m);
});
