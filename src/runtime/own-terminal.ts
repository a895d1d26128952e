import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { sendSignal } from './kill.ts';
import type { TerminalSettings } from './terminal-guard.ts';

/**
 * Has our own terminal show what is written to it as it is. Node's raw mode is about input: the terminal goes on to
 * begin each new line at the left, which spoils what full-screen programs draw. Leaving the raw mode undoes this, too.
 */
export function showOutputAsItIs(): void {
  try {
    execFileSync('stty', ['-opost'], { stdio: ['inherit', 'ignore', 'ignore'] });
  } catch {
    // Without stty most programs still look as they should.
  }
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
  try {
    const script = 'stty -g && stty -icanon -echo min 1 time 0 && stty -g';
    const said = execFileSync('sh', ['-c', script], { stdio: ['inherit', 'pipe', 'ignore'], encoding: 'utf8' });
    const [before = '', ours = ''] = said.trim().split('\n');
    return { settings: { before, ours }, restore: () => setTerminal(before) };
  } catch {
    return undefined;
  }
}

function setTerminal(settings: string): void {
  try {
    // Who is in the background by now must not be stopped for it.
    const script = `trap '' TTOU; exec stty "$0"`;
    execFileSync('sh', ['-c', script, settings], { stdio: ['inherit', 'ignore', 'ignore'] });
  } catch {
    // The terminal is gone.
  }
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
    const state = execFileSync('ps', ['-o', 'stat=', '-p', String(process.pid)], { encoding: 'utf8' });
    return state.includes('+');
  } catch {
    return true;
  }
}

/** Does to us what the signal does to a program that does not listen for it. Nobody may listen any more. */
export function takeSignal(signal: 'SIGTSTP' | 'SIGQUIT'): void {
  sendSignal(process.pid, signal);
}
