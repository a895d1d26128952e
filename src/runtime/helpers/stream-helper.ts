import type { Readable, Writable } from 'node:stream';
import { guardedProcess } from '../../defects.ts';
import { errnoText } from '../base/errno.ts';
import { exitCodeOf, withContainerUmask } from '../start/spawn.ts';
import { type HelperOutcome, startable, STARTED_APART } from '../base/helper.ts';

/** A program through which podrun passes a stream. It ends with podrun, whose pipe it reads. */
export interface StreamHelper {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Resolves when the program has ended; never rejects. `why` has the last line of its error output. */
  readonly ended: Promise<HelperOutcome>;
  kill(): void;
}

/** The part of the error output that podrun keeps: its end. */
const KEPT_CHARACTERS = 8192;

/**
 * Starts a program with pipes at its standard input and output, in a group of its own: Ctrl-C does not reach it. Its
 * umask is a container's, and its environment has PATH only.
 * @throws {Error} (EMFILE, ENFILE) when podrun has too few descriptors
 */
export async function startStreamHelper(call: {
  readonly program: string;
  readonly args: readonly string[];
}): Promise<StreamHelper> {
  const { program, args } = call;
  const { execa } = await import('execa');
  const env = { PATH: process.env['PATH'] ?? '', LC_ALL: 'C' };
  const options = { ...STARTED_APART, env, stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' } as const;
  const child = guardedProcess(withContainerUmask(() => execa(startable(program), args, options)));
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-KEPT_CHARACTERS);
  });
  // A program that ends early breaks the pipe: its end says why.
  child.stdin.on('error', () => undefined);
  const ended = child.then(({ failed, code, exitCode, signal }): HelperOutcome => {
    if (!failed) return { ok: true, stdout: errors };
    if (exitCode === undefined && signal === undefined) {
      return { ok: false, errno: code, why: `${program} did not start: ${errnoText(code ?? '')}`, stderr: '' };
    }
    const line = firstComplaint(errors);
    const ending = `${program} ended with exit code ${exitCodeOf(exitCode ?? null, signal ?? null)}`;
    return { ok: false, errno: undefined, why: line === '' ? ending : line, stderr: errors };
  });
  return { stdin: child.stdin, stdout: child.stdout, ended, kill: () => void child.kill('SIGKILL') };
}

/** The first line of the errors, which names the cause; tar(1) ends with a line without any. */
function firstComplaint(errors: string): string {
  return errors.split('\n').find((line) => line.trim() !== '') ?? '';
}
