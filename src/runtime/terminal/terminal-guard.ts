import type { Socket } from 'node:net';
import { execa } from 'execa';
import { guardedProcess } from '../../defects.ts';
import { shortageOfDescriptors } from '../base/descriptors-left.ts';
import { STARTED_APART } from '../base/helper.ts';

/**
 * The guard's script: waits for the end of its input, which comes when podrun is killed before it has restored the
 * terminal. The terminal is its standard output. Settings are restored only while they are still podrun's: a shell may
 * have changed them. The lines below the cursor are podrun's, because the scroll margin has kept other output away.
 */
const SCRIPT = `# podrun-terminal-guard: puts the terminal in order when podrun is killed
trap '' INT TERM HUP QUIT PIPE TSTP TTOU
exec 3<&1
read -r _
[ -z "$2" ] || [ "$(stty -g <&3)" != "$2" ] || stty "$1" <&3
printf '\\0337\\033[r\\0338\\033[0m\\033[J\\033[?25h'
`;

/** The settings of the terminal, as `stty -g` prints them: before podrun's change, and after it. */
export interface TerminalSettings {
  readonly before: string;
  readonly ours: string;
}

/**
 * Restores the scroll margins, cursor and settings of the terminal after podrun was killed by SIGKILL.
 * @param settings undefined: podrun did not change the settings
 * @returns ends the guard: podrun has restored the terminal itself
 */
export function guardTerminal(settings: TerminalSettings | undefined): () => void {
  const args = ['-c', SCRIPT, 'sh', settings?.before ?? '', settings?.ours ?? ''];
  // In its own session: Ctrl-C must not end it, and the user's shell must not count it among its jobs.
  const options = { ...STARTED_APART, env: { PATH: '/usr/bin:/bin' }, stdout: 'inherit', stderr: 'ignore' } as const;
  if (shortageOfDescriptors() !== undefined) return () => undefined;
  const guard = guardedProcess(execa('/bin/sh', args, options));
  if (guard.pid === undefined) return () => undefined;
  guard.unref();
  // The stream is a socket, unlike its type. It must not keep podrun running.
  (guard.stdin as Socket).unref();
  return () => void guard.kill('SIGKILL');
}
