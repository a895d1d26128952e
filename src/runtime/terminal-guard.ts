import type { Socket } from 'node:net';
import { execa } from 'execa';
import { STARTED_APART } from './helper.ts';

/**
 * Waits for the end of its input, which comes when podrun is gone without having given the terminal back. Its own
 * terminal is the standard output. A shell that has taken the terminal over has set it as it wants it: it is put back
 * only where it is still as podrun has left it. What is below the cursor is podrun's: the margin kept everybody else
 * away.
 */
const SCRIPT = `# podrun-terminal-guard: puts the terminal in order when podrun is killed
trap '' INT TERM HUP QUIT PIPE TSTP TTOU
exec 3<&1
read -r _
[ -z "$2" ] || [ "$(stty -g <&3)" != "$2" ] || stty "$1" <&3
printf '\\0337\\033[r\\0338\\033[0m\\033[J\\033[?25h'
`;

/** How a terminal is set, as `stty -g` says it: before podrun changed it, and by podrun. */
export interface TerminalSettings {
  readonly before: string;
  readonly ours: string;
}

/**
 * Sees to it that the terminal gets back its scroll margins, cursor and settings also when podrun is killed in a way
 * that nobody can react to.
 * @param settings undefined: podrun did not change how the terminal is set
 * @returns ends that: podrun has put the terminal in order itself
 */
export function guardTerminal(settings: TerminalSettings | undefined): () => void {
  const args = ['-c', SCRIPT, 'sh', settings?.before ?? '', settings?.ours ?? ''];
  // Apart: what is typed must not end it, nor the shell that podrun runs in count it among its own.
  const options = { ...STARTED_APART, env: { PATH: '/usr/bin:/bin' }, stdout: 'inherit', stderr: 'ignore' } as const;
  const guard = execa('/bin/sh', args, options);
  if (guard.pid === undefined) return () => undefined;
  guard.unref();
  // The socket of a child process, in spite of its type: it must not keep us alive.
  (guard.stdin as Socket).unref();
  return () => void guard.kill('SIGKILL');
}
