import path from 'node:path';
import { Readable } from 'node:stream';
import { main } from '../../src/cli/main.ts';
import type { Writer } from '../../src/cli/process.ts';
import { type Clock, SystemClock } from '../../src/clock.ts';
import type { Ended, Workshop } from './workshop.ts';

const home = process.cwd();
let running = 0;

/** The surroundings of a command. */
interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  /** The text on standard input. */
  readonly input?: string;
  readonly clock?: Clock;
}

/**
 * Runs a command line in this process, in the folder of the workshop: a process takes ten times as long. Signals,
 * terminals and slow readers need a process.
 */
export async function runHere(
  { folder, stateDir }: Pick<Workshop, 'folder' | 'stateDir'>,
  args: readonly string[],
  { env = {}, input = '', clock = new SystemClock() }: Surroundings = {},
): Promise<Ended> {
  const [stdout, stderr] = [new Collector(), new Collector()];
  const variables = { ...process.env, NO_COLOR: '1', CI: 'true', PODRUN_STATE_DIR: stateDir, ...env };
  const leave = enter(folder, env['TZ']);
  try {
    const host = { stdin: Readable.from([input]), stdout, stderr, clock, env: variables, folder: DIST };
    const exitCode = await main(args, host);
    return { exitCode, stdout: stdout.text, stderr: stderr.text };
  } finally {
    leave();
  }
}

const DIST = path.join(import.meta.dirname, '../../dist');

/** Enters a folder and a time zone, which belong to the whole process. Answers the way back. */
function enter(folder: string, timeZone: string | undefined): () => void {
  if (running > 0 && process.cwd() !== folder) throw new Error('commands at the same time need the same folder');
  running += 1;
  process.chdir(folder);
  const before = process.env['TZ'];
  setTimeZone(timeZone ?? before);
  return () => {
    running -= 1;
    if (running > 0) return;
    process.chdir(home);
    setTimeZone(before);
  };
}

function setTimeZone(name: string | undefined): void {
  if (name === undefined) delete process.env['TZ'];
  else process.env['TZ'] = name;
}

/** Keeps all output. Its reader is always there. */
export class Collector implements Writer {
  text = '';
  readonly isTerminal = false;
  readonly terminal = undefined;
  readonly waitingBytes = 0;

  write(output: string | Uint8Array): void {
    this.text += typeof output === 'string' ? output : Buffer.from(output).toString();
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  open(): void {}
  onLost(): void {}
}
