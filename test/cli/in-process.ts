import { EventEmitter } from 'node:events';
import path from 'node:path';
import { Readable } from 'node:stream';
import { main } from '../../src/cli/main.ts';
import type { Process, Writer } from '../../src/cli/base/process.ts';
import { type Clock, SystemClock } from '../../src/clock.ts';
import type { Ended, Workshop } from './workshop.ts';

const DIST = path.join(import.meta.dirname, '../../dist');
const PROGRAM = path.join(import.meta.dirname, '../../bin/podrun.js');

/** The surroundings of a command. */
export interface Surroundings {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The text on standard input. */
  readonly input?: string;
  readonly clock?: Clock;
  /** Default: none comes. */
  readonly signals?: Process['signals'];
  /** Called with each piece of output, of both streams. */
  readonly onOutput?: (text: string, stream: 'stdout' | 'stderr') => void;
}

/** The commands that run now, all of them in the same time zone. */
const running = new Set<Promise<unknown>>();
let timeZoneNow: string | undefined;

/**
 * Runs a command line in this process, in the folder of the workshop, as the program does: a process of its own takes
 * several times as long. Terminals and slow readers need a process. The time zone is one of the whole process:
 * commands of one time zone run beside each other, and those of another one wait.
 */
export async function runHere(
  workshop: Place,
  args: readonly string[],
  surroundings: Surroundings = {},
): Promise<Ended> {
  const timeZone = surroundings.env?.['TZ'] ?? before;
  const mustWait = (): boolean => running.size > 0 && timeZone !== timeZoneNow;
  while (mustWait()) await Promise.allSettled(running);
  timeZoneNow = timeZone;
  const ended = runNow(workshop, args, surroundings);
  running.add(ended);
  return ended.finally(() => running.delete(ended));
}

type Place = Pick<Workshop, 'folder' | 'stateDir'>;

async function runNow(
  { folder, stateDir }: Place,
  args: readonly string[],
  { env = {}, input = '', clock = new SystemClock(), signals = new EventEmitter(), onOutput = () => {} }: Surroundings,
): Promise<Ended> {
  const stdout = new Collector((text) => onOutput(text, 'stdout'));
  const stderr = new Collector((text) => onOutput(text, 'stderr'));
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
    signals,
    clock,
    env: variables,
    folder: DIST,
    cwd: folder,
    podrun: [process.execPath, PROGRAM] as const,
  };
  if (running.size === 0) setTimeZone(variables['TZ']);
  try {
    return { exitCode: await main(args, host), stdout: stdout.text, stderr: stderr.text };
  } finally {
    if (running.size <= 1) setTimeZone(before);
  }
}

const before = process.env['TZ'];

function setTimeZone(name: string | undefined): void {
  if (name === undefined) delete process.env['TZ'];
  else process.env['TZ'] = name;
}

/** Keeps all output. Its reader is always there. */
class Collector implements Writer {
  text = '';
  readonly isInherited = false;
  readonly isTerminal = false;
  readonly terminal = undefined;
  readonly waitingBytes = 0;
  readonly #onOutput: (text: string) => void;

  constructor(onOutput: (text: string) => void) {
    this.#onOutput = onOutput;
  }

  write(output: string | Uint8Array): void {
    const text = typeof output === 'string' ? output : Buffer.from(output).toString();
    this.text += text;
    this.#onOutput(text);
  }

  flush(): Promise<void> {
    return Promise.resolve();
  }

  open(): void {}
  onLost(): void {}
}
