import type { StdioOptions } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import type { Socket } from 'node:net';
import { errnoText } from '../base/errno.ts';
import { startable } from '../base/helper.ts';

/** A process that runs on after the end of this one. */
export interface BackgroundCall {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The file to which its output is appended. */
  readonly log: string;
}

/** The first line of a background process, or its end if it ended before that line. */
export type BackgroundAnswer =
  | { readonly type: 'said'; readonly line: string }
  | { readonly type: 'ended'; readonly exitCode: number | null; readonly signal: string | null };

/** The descriptor to which the process writes its line. */
export const ANSWER_DESCRIPTOR = 3;

/**
 * Starts a process in a session of its own, without terminal or input, and waits for the line that it writes to
 * descriptor 3.
 * @throws {Error} with an errno when it cannot be started
 */
export async function startInBackground({ argv, env, cwd, log }: BackgroundCall): Promise<BackgroundAnswer> {
  // Every command loads this file, and few start a process in the background.
  const { spawnBeside } = await import('../start/spawn.ts');
  const file = startable(argv[0]);
  const output = openSync(log, 'a', 0o600);
  const stdio: StdioOptions = ['ignore', output, output, 'pipe'];
  const started = await spawnBeside({ file, argv, env, cwd, stdio }, { detached: true });
  closeSync(output);
  if (!started.ok) throw Object.assign(new Error(`${file}: ${errnoText(started.errno)}`), { code: started.errno });
  const { child } = started;
  const pipe = child.stdio[ANSWER_DESCRIPTOR] as Socket;
  const answer = await new Promise<BackgroundAnswer>((resolve) => {
    let text = '';
    pipe.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      const newline = text.indexOf('\n');
      if (newline >= 0) resolve({ type: 'said', line: text.slice(0, newline) });
    });
    pipe.on('error', () => undefined);
    // A line that was written before the exit may still be in the pipe: read it to the end first.
    child.once('exit', (exitCode, signal) => {
      if (pipe.readableEnded) resolve({ type: 'ended', exitCode, signal });
      else pipe.once('close', () => resolve({ type: 'ended', exitCode, signal }));
    });
  });
  pipe.destroy();
  // Until here, its end alone may wake podrun: it may close the pipe before that.
  child.unref();
  return answer;
}
