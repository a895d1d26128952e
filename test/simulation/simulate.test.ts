import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

it('`npm run simulate` is built, and tries seeds', async () => {
  const program = path.join(import.meta.dirname, 'simulate.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [
    program,
    '--seeds',
    '3',
    '--seed',
    '1',
    '--jobs',
    '1',
  ]);
  expect(stdout).toMatch(/^3 of 3 seeds, \d+ a second, all well$/m);
});
