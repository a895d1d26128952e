import { closeSync, fstatSync, statSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { visibleControls } from '../print/terminal-text.ts';
import { errnoOf, errnoText } from '../runtime/errno.ts';

export type StandardStream = 'stdout' | 'stderr';

/** The signal that says the same: a terminal that is gone, or a pipe that nobody reads. */
export type ReaderGone = 'SIGHUP' | 'SIGPIPE';

const DESCRIPTORS = { stdout: 1, stderr: 2 } as const;

const opened = new Map<StandardStream, NodeJS.WriteStream>();
const lost = new Map<StandardStream, ReaderGone>();
const colored = new Set<StandardStream>();
const exact = new Set<StandardStream>();
const onLost = new Set<(how: ReaderGone) => void>();
let hasFailed = false;

/**
 * Node's stream. For the first one, Node loads all that it knows of streams and sockets, 5 ms of the 30 that a short
 * command takes: who prints a text and ends has no need of it.
 */
export function streamOf(name: StandardStream): NodeJS.WriteStream {
  const known = opened.get(name);
  if (known !== undefined) return known;
  const stream = process[name];
  stream.on('error', (error) => lose(name, error));
  opened.set(name, stream);
  return stream;
}

/** From now on, what is printed waits for a slow reader in memory: podrun has something else to do meanwhile. */
export function openStreams(): void {
  streamOf('stdout');
  streamOf('stderr');
}

/** From now on, colours of podrun in the text of this stream are colours. */
export function permitColors(name: StandardStream): void {
  colored.add(name);
}

/** From now on, the text of this stream is written as it is: a program reads what a template made. */
export function keepText(name: StandardStream): void {
  exact.add(name);
}

/** Text as `print` writes it. */
export function safeText(name: StandardStream, text: string): string {
  if (exact.has(name)) return text;
  return visibleControls(text, { keepsColors: colored.has(name) });
}

/**
 * Writes at once, or, where the stream was opened, behind what waits there. Without a reader, nothing happens.
 *
 * This is the one place that keeps terminals safe: a string may contain names and messages of others, and is written
 * with its control characters made visible. Bytes are written as they are: the output of containers, and what moves the
 * cursor.
 */
export function print(name: StandardStream, output: string | Uint8Array): void {
  if (lost.has(name)) return;
  const stream = opened.get(name);
  const text = typeof output === 'string' ? safeText(name, output) : output;
  let rest: string | Uint8Array = text;
  try {
    // Into a file, Node writes at once, too, and throws what goes wrong.
    if (stream !== undefined) return void stream.write(text);
    rest = typeof text === 'string' ? Buffer.from(text) : text;
    while (rest.length > 0) rest = rest.subarray(writeSync(DESCRIPTORS[name], rest));
  } catch (error) {
    // Somebody who has the same pipe does not want to wait for it.
    if (errnoOf(error) === 'EAGAIN') streamOf(name).write(rest);
    else lose(name, error);
  }
}

/** What there is to say beside the output. */
export function printError(text: string | Uint8Array): void {
  print('stderr', text);
}

/** Calls back when nobody reads standard output any more, at once when that is known. */
export function onOutputLost(callback: (how: ReaderGone) => void): void {
  onLost.add(callback);
  const how = lost.get('stdout');
  if (how !== undefined) callback(how);
}

/** Could something not be written that somebody wanted to read? */
export function hasOutputFailed(): boolean {
  return hasFailed;
}

/**
 * What there is to say beside the output is said to nobody when it cannot be written: what podrun does matters more.
 * That the output itself could not be written (a full disk) is told.
 */
function lose(name: StandardStream, error: unknown): void {
  if (lost.has(name)) return;
  const errno = errnoOf(error);
  const how = errno === 'EIO' ? 'SIGHUP' : 'SIGPIPE';
  lost.set(name, how);
  if (name === 'stderr') return;
  if (errno !== 'EIO' && errno !== 'EPIPE') {
    hasFailed = true;
    printError(`error: cannot write to standard output: ${errnoText(errno)}\n`);
  }
  for (const callback of onLost) callback(how);
}

/** Is it a terminal? What knows terminals is loaded only for what may be one. */
export function isTerminal(name: StandardStream): boolean {
  return isCharacterDevice(DESCRIPTORS[name]) && isatty(DESCRIPTORS[name]);
}

function isCharacterDevice(descriptor: number): boolean {
  const stats = fstatSync(descriptor);
  return stats.isCharacterDevice() && stats.rdev !== statSync(devNull).rdev;
}

/** How much of what was printed waits for a slow reader. */
export function waitingBytes(name: StandardStream): number {
  return lost.has(name) ? 0 : (opened.get(name)?.writableLength ?? 0);
}

/** Resolves when all that was printed was handed to the reader, or nobody reads it. */
export function flush(name: StandardStream): Promise<void> {
  const stream = lost.has(name) ? undefined : opened.get(name);
  return stream === undefined ? Promise.resolve() : handedOn(stream);
}

/** Resolves when a stream has handed everything on, or nobody reads it any more: pipes take only so much at a time. */
export function handedOn(stream: Writable): Promise<void> {
  if (stream.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      stream.off('error', done);
      resolve();
    };
    stream.once('error', done);
    stream.write('', done);
  });
}

/** A command that is over sooner, and all is well: no terminal is looked for, as what knows them takes 4 ms to load. */
const BRIEF_S = 1;

/**
 * Lets go of a terminal that is gone, as the last thing that is done: Node would put it back into the state in which it
 * found it, and abort when it cannot.
 */
export function leaveDeadTerminal(): void {
  if (opened.size === 0 && lost.size === 0 && process.uptime() < BRIEF_S) return;
  for (const descriptor of [0, 1, 2]) {
    try {
      if (isCharacterDevice(descriptor) && !isatty(descriptor)) closeSync(descriptor);
    } catch {
      // closed already
    }
  }
}

/** Columns of the terminal that standard output is; undefined: it is none, or nobody has given it a size. */
export function terminalWidth(): number | undefined {
  return isTerminal('stdout') ? streamOf('stdout').columns || undefined : undefined;
}
