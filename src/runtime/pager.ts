import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { exitCodeOf } from './spawn.ts';

/**
 * Hands a text to a program that shows it page by page, in our own terminal, and waits until that ends. Whoever leaves
 * it early has seen enough.
 * @param command as a shell understands it
 * @returns its exit code: 127 when there is no such program
 */
export function runPager(command: string, text: string, env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve) => {
    const pager = spawn('/bin/sh', ['-c', command], { env, stdio: ['pipe', 'inherit', 'inherit'] });
    pager.once('error', () => resolve(127));
    pager.once('close', (code, signal) => resolve(exitCodeOf(code, signal)));
    // It was quit before it had read everything.
    pager.stdin.on('error', () => undefined);
    pager.stdin.end(text);
  });
}

/** Is there a program of that name in one of the folders of PATH? */
export function isInPath(program: string, searched: string | undefined): boolean {
  return (searched ?? '').split(path.delimiter).some((folder) => isExecutable(path.join(folder, program)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
