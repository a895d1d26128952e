import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { execa, execaSync } from 'execa';
import { guardedProcess } from '../../defects.ts';
import { shortageOfDescriptors, STARTED_APART } from '../base/helper.ts';
import { sendSignal } from '../watch/kill.ts';

/**
 * Turns off the output processing of podrun's terminal. Node's raw mode is about input: the terminal would still begin
 * each new line at the left, which spoils the drawings of full-screen programs. Leaving the raw mode undoes this, too.
 */
export function showOutputAsItIs(): void {
  // Without stty, most programs still look right.
  runAtTerminal('stty', ['-opost']);
}

/** A terminal that passes on each key. */
export interface KeyByKey {
  /** The earlier settings of the terminal, as `stty -g` prints them. */
  readonly settings: TerminalSettings;
  /** Restores the settings. */
  restore(): void;
}

/**
 * Makes the terminal pass on each key as it is typed, without echo. Ctrl-C, Ctrl-Z and Ctrl-\ still send signals,
 * unlike in Node's raw mode.
 * @returns undefined: there is no terminal, or no stty
 */
export function readKeyByKey(): KeyByKey | undefined {
  const script = 'stty -g && stty -icanon -echo min 1 time 0 && stty -g';
  const { failed, stdout } = runAtTerminal('sh', ['-c', script]);
  if (failed) return undefined;
  const [before = '', ours = ''] = stdout.split('\n');
  return { settings: { before, ours }, restore: () => setTerminal(before) };
}

/** Restores settings. Has no effect when the terminal is gone. */
function setTerminal(settings: string): void {
  // SIGTTOU would stop stty in the background: ignore it.
  runAtTerminal('sh', ['-c', `trap '' TTOU; exec stty "$0"`, settings]);
}

/** Runs a helper whose standard input is the terminal. podrun waits: its next step needs the terminal as it is then. */
function runAtTerminal(
  program: string,
  args: readonly string[],
): { readonly failed: boolean; readonly stdout: string } {
  return execaSync(program, args, { cwd: '/', stdin: 'inherit', reject: false });
}

/**
 * True when podrun is in the foreground: a background process that reads or changes the terminal is stopped. Also true
 * without a controlling terminal.
 */
export function isInForeground(): boolean {
  try {
    if (process.platform === 'linux') {
      // The fields after the program's name, which may contain any character: state, parent, group, session, terminal,
      // its group.
      const stat = readFileSync('/proc/self/stat', 'utf8');
      const [, , group, , , terminalGroup] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      return terminalGroup === group || terminalGroup === '-1';
    }
    const { failed, stdout } = runAtTerminal('ps', ['-o', 'stat=', '-p', String(process.pid)]);
    return failed || stdout.includes('+');
  } catch {
    return true;
  }
}

/** Sends podrun a signal with its default effect. Nothing may listen for the signal any more. */
export function takeSignal(signal: 'SIGTSTP' | 'SIGQUIT'): void {
  sendSignal(process.pid, signal);
}

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
interface TerminalSettings {
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
