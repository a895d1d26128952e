import type { Options } from 'execa';
import { quietly } from '../../quietly.ts';
import { startable, STARTED } from '../base/helper.ts';
import { exitCodeOf } from '../start/spawn.ts';

/**
 * Opens a file in an editor, in podrun's own terminal, and waits for its end.
 * @param command a shell command, behind which the file is put
 * @returns the exit code: 127 when the program does not exist
 */
export function runEditor(command: string, file: string, env: NodeJS.ProcessEnv): Promise<number> {
  // The file is an argument of the shell, so that its name is not read as shell code.
  return runInShell(`${command} "$1"`, ['sh', file], { env, stdio: 'inherit' });
}

/**
 * Shows a text in a pager, in podrun's own terminal, and waits for its end. A user may leave it before the end of the
 * text.
 * @param command a shell command
 * @returns the exit code: 127 when the program does not exist
 */
export function runPager(command: string, text: string, env: NodeJS.ProcessEnv): Promise<number> {
  // execa starts nothing in a removed folder.
  const cwd = quietly(() => process.cwd()) ?? '/';
  return runInShell(command, [], { env, cwd, input: text, stdout: 'inherit', stderr: 'inherit' });
}

async function runInShell(command: string, args: readonly string[], options: Options): Promise<number> {
  const { execa } = await import('execa');
  const started = { ...STARTED, ...options };
  const { exitCode, signal } = await execa(startable('/bin/sh'), ['-c', command, ...args], started);
  return exitCode ?? (signal === undefined ? 127 : exitCodeOf(null, signal));
}
