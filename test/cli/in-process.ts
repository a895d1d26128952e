import path from 'node:path';
import { Readable } from 'node:stream';
import { main } from '../../src/cli/main.ts';
import type { Writer } from '../../src/cli/process.ts';
import { type Clock, SystemClock } from '../../src/clock.ts';
import type { Ended, Workshop } from './workshop.ts';

const DIST = path.join(import.meta.dirname, '../../dist');
const PROGRAM = path.join(import.meta.dirname, '../../bin/podrun.js');

/** The surroundings of a command. */
interface Surroundings {
  readonly env?: Readonly<Record<string, string>>;
  /** The text on standard input. */
  readonly input?: string;
  readonly clock?: Clock;
}

/** Commands take turns: the working folder and the time zone belong to the whole process. */
let turn: Promise<unknown> = Promise.resolve();

/**
 * Runs a command line in this process, in the folder of the workshop: a process of its own takes ten times as long.
 * Signals, terminals, slow readers and waits need a process.
 */
export function runHere(workshop: Place, args: readonly string[], surroundings: Surroundings = {}): Promise<Ended> {
  const ended = turn.then(() => runNow(workshop, args, surroundings));
  turn = ended.catch(() => undefined);
  return ended;
}

type Place = Pick<Workshop, 'folder' | 'stateDir'>;

async function runNow(
  { folder, stateDir }: Place,
  args: readonly string[],
  { env = {}, input = '', clock = new SystemClock() }: Surroundings,
): Promise<Ended> {
  const [stdout, stderr] = [new Collector(), new Collector()];
  const variables: Readonly<Record<string, string | undefined>> = {
    ...process.env,
    NO_COLOR: '1',
    CI: 'true',
    PODRUN_STATE_DIR: stateDir,
    PODRUN_IMAGES: 'host',
    PODRUN_IMAGE_DIR: `${stateDir}.images`,
    ...env,
  };
  const stdin = Readable.from([Buffer.from(input)]);
  const host = {
    stdin,
    stdout,
    stderr,
    clock,
    env: variables,
    folder: DIST,
    podrun: [process.execPath, PROGRAM] as const,
  };
  const before = { folder: process.cwd(), timeZone: process.env['TZ'] };
  process.chdir(folder);
  setTimeZone(variables['TZ']);
  try {
    return { exitCode: await main(args, host), stdout: stdout.text, stderr: stderr.text };
  } finally {
    process.chdir(before.folder);
    setTimeZone(before.timeZone);
  }
}

function setTimeZone(name: string | undefined): void {
  if (name === undefined) delete process.env['TZ'];
  else process.env['TZ'] = name;
}

/** Keeps all output. Its reader is always there. */
class Collector implements Writer {
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
