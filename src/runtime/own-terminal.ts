import { readFileSync } from 'node:fs';
import { execaSync } from 'execa';
import { sendSignal } from './kill.ts';
import type { TerminalSettings } from './terminal-guard.ts';

/**
 * Has our own terminal show what is written to it as it is. Node's raw mode is about input: the terminal goes on to
 * begin each new line at the left, which spoils what full-screen programs draw. Leaving the raw mode undoes this, too.
 */
export function showOutputAsItIs(): void {
  // Without stty most programs still look as they should.
  runAtTerminal('stty', ['-opost']);
}

/** A terminal that hands over each key. */
export interface KeyByKey {
  /** How it is set, as `stty -g` says it. */
  readonly settings: TerminalSettings;
  /** Puts it back. */
  restore(): void;
}

/**
 * Has the terminal hand over each key as it is typed, without showing it. Ctrl-C, Ctrl-Z and Ctrl-\ go on to be
 * signals, which Node's raw mode would end.
 * @returns undefined: there is no terminal, or no stty
 */
export function readKeyByKey(): KeyByKey | undefined {
  const script = 'stty -g && stty -icanon -echo min 1 time 0 && stty -g';
  const { failed, stdout } = runAtTerminal('sh', ['-c', script]);
  if (failed) return undefined;
  const [before = '', ours = ''] = stdout.split('\n');
  return { settings: { before, ours }, restore: () => setTerminal(before) };
}

/** Does nothing when the terminal is gone. */
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
 * Does the terminal belong to us? In the background, whoever reads from it or changes it is stopped. Without a terminal
 * that we are controlled by, nobody is.
 */
export function isInForeground(): boolean {
  try {
    if (process.platform === 'linux') {
      // Behind the name of the program, which may contain anything: state, parent, group, session, terminal, its group.
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

/** Does to us what the signal does to a program that does not listen for it. Nobody may listen any more. */
export function takeSignal(signal: 'SIGTSTP' | 'SIGQUIT'): void {
  sendSignal(process.pid, signal);
}
