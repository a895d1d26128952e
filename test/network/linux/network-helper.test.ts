import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { RECORDED } from '../../../src/network/linux/helper/protocol.ts';
import { temporaryFolder } from '../../store/temporary-store.ts';

const PROGRAM = path.join(import.meta.dirname, '../../../dist/network-helper.cjs');

/** Starts a helper with this record, and ends its podrun after these words. Answers its exit code. */
async function helperAfter(record: string, words: string): Promise<number> {
  const child = spawn(process.execPath, [PROGRAM, record], { stdio: ['pipe', 'ignore', 'inherit', 'ipc'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdin?.end(words);
  const [exitCode] = (await once(child, 'exit')) as [number];
  return exitCode;
}

it('a helper that is not on record when podrun is killed ends with it: no later podrun would find it', async () => {
  const record = path.join(temporaryFolder(), 'helper.json');
  writeFileSync(record, '{}');
  expect(await helperAfter(record, '')).toBe(0);
});

it('a helper whose record is gone ends after podrun', async () => {
  expect(await helperAfter(path.join(temporaryFolder(), 'helper.json'), RECORDED)).toBe(0);
});
