import { STARTED } from './helper.ts';
import { exitCodeOf } from './spawn.ts';

/**
 * Hands a text to a program that shows it page by page, in our own terminal, and waits until that ends. Whoever leaves
 * it early has seen enough.
 * @param command as a shell understands it
 * @returns its exit code: 127 when there is no such program
 */
export async function runPager(command: string, text: string, env: NodeJS.ProcessEnv): Promise<number> {
  const { execa } = await import('execa');
  const options = { ...STARTED, env, cwd: ownFolder(), input: text, stdout: 'inherit', stderr: 'inherit' } as const;
  const { exitCode, signal } = await execa('/bin/sh', ['-c', command], options);
  return exitCode ?? (signal === undefined ? 127 : exitCodeOf(null, signal));
}

/** execa starts nothing in a folder that has been removed. */
function ownFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}
