import { readFileSync } from 'node:fs';
import { execaSync } from 'execa';
import { sendSignal } from '../watch/kill.ts';
import type { TerminalSettings } from './terminal-guard.ts';

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
  /** Its settings, as `stty -g` prints them. */
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
