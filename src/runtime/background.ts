import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { STARTED_APART } from './helper.ts';

/** A process that goes on when this one has ended. */
export interface BackgroundCall {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** What it prints is appended here. */
  readonly log: string;
}

/** What a process in the background has said first, or that it ended before it said anything. */
export type BackgroundAnswer =
  | { readonly type: 'said'; readonly line: string }
  | { readonly type: 'ended'; readonly exitCode: number | null; readonly signal: string | null };

/** The descriptor at which the process says its line. */
export const ANSWER_DESCRIPTOR = 3;

/**
 * Starts a process in a session of its own, without terminal or input, and waits for the line that it writes to
 * descriptor 3.
 * @throws {Error} with an errno when it cannot be started
 */
export async function startInBackground({ argv, env, cwd, log }: BackgroundCall): Promise<BackgroundAnswer> {
  const { execa } = await import('execa');
  const [program, ...args] = argv;
  // execa takes any descriptor, but its types know those up to 9 only.
  const output = openSync(log, 'a', 0o600) as 9;
  const child = execa(program, args, { ...STARTED_APART, cwd, env, stdio: ['ignore', output, output, 'pipe'] });
  closeSync(output);
  if (child.pid === undefined) throw (await child).cause;
  child.unref();
  const pipe = child.stdio[ANSWER_DESCRIPTOR] as Socket;
  const answer = await new Promise<BackgroundAnswer>((resolve) => {
    let text = '';
    pipe.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      const newline = text.indexOf('\n');
      if (newline >= 0) resolve({ type: 'said', line: text.slice(0, newline) });
    });
    pipe.on('error', () => undefined);
    // What it has said before it ended is in the pipe: whoever holds that has to let go first.
    child.once('exit', (exitCode, signal) => {
      if (pipe.readableEnded) resolve({ type: 'ended', exitCode, signal });
      else pipe.once('close', () => resolve({ type: 'ended', exitCode, signal }));
    });
  });
  pipe.destroy();
  return answer;
}
