import { exitCodeOf } from '../start/spawn.ts';
import { startable } from '../base/descriptors-left.ts';
import { STARTED } from '../base/helper.ts';

/**
 * Opens a file in an editor, in podrun's own terminal, and waits for its end.
 * @param command a shell command, behind which the file is put
 * @returns the exit code: 127 when the program does not exist
 */
export async function runEditor(command: string, file: string, env: NodeJS.ProcessEnv): Promise<number> {
  const { execa } = await import('execa');
  const options = { ...STARTED, env, stdio: 'inherit' } as const;
  // The file is an argument of the shell, so that its name is not read as shell code.
  const { exitCode, signal } = await execa(startable('/bin/sh'), ['-c', `${command} "$1"`, 'sh', file], options);
  return exitCode ?? (signal === undefined ? 127 : exitCodeOf(null, signal));
}
