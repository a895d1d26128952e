import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Short ones that touch every part of podrun. `.ci/run` runs all that are in scope.json. */
const THEMES = ['phases', 'exit-codes'];

it.each(THEMES)('conformance scenarios of theme %s pass', { timeout: 120_000 }, async (theme) => {
  const runner = ['test/conformance/run.mjs', '--theme', theme, '--jobs', '2'];
  // A failed scenario makes the runner, and with it this call, fail: what it printed says which and why.
  const { stdout } = await promisify(execFile)(process.execPath, runner, { cwd: root });
  expect(stdout).toMatch(/^[1-9]\d* passed, 0 failed$/m);
});
