import { quietly } from '../../quietly.ts';
import { startable } from '../base/descriptors-left.ts';
import { STARTED } from '../base/helper.ts';
import { exitCodeOf } from '../start/spawn.ts';

/**
 * Shows a text in a pager, in podrun's own terminal, and waits for its end. A user may leave it before the end of the
 * text.
 * @param command a shell command
 * @returns the exit code: 127 when the program does not exist
 */
export async function runPager(command: string, text: string, env: NodeJS.ProcessEnv): Promise<number> {
  const { execa } = await import('execa');
  // execa starts nothing in a removed folder.
  const options = {
    ...STARTED,
    env,
    cwd: quietly(() => process.cwd()) ?? '/',
    input: text,
    stdout: 'inherit',
    stderr: 'inherit',
  } as const;
  const { exitCode, signal } = await execa(startable('/bin/sh'), ['-c', command], options);
  return exitCode ?? (signal === undefined ? 127 : exitCodeOf(null, signal));
}
