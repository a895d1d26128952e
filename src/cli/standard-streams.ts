import { closeSync, fstatSync, statSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Writable } from 'node:stream';
import { isatty } from 'node:tty';
import { visibleControls } from '../print/text/terminal-text.ts';
import { errnoOf, errnoText } from '../runtime/errno.ts';

export type StandardStream = 'stdout' | 'stderr';

/** The signal with the same meaning: SIGHUP for a terminal that is gone, SIGPIPE for a pipe without a reader. */
export type ReaderGone = 'SIGHUP' | 'SIGPIPE';

const DESCRIPTORS = { stdout: 1, stderr: 2 } as const;

const opened = new Map<StandardStream, NodeJS.WriteStream>();
const lost = new Map<StandardStream, ReaderGone>();
const colored = new Set<StandardStream>();
const exact = new Set<StandardStream>();
const onLost = new Set<(how: ReaderGone) => void>();
let hasFailed = false;

/**
 * The stream of Node. Its first use loads Node's streams and sockets, 5 ms of the 30 of a short command: a command that
 * prints one text does not need them.
 */
export function streamOf(name: StandardStream): NodeJS.WriteStream {
  const known = opened.get(name);
  if (known !== undefined) return known;
  const stream = process[name];
  stream.on('error', (error) => lose(name, error));
  opened.set(name, stream);
  return stream;
}

/** Queues output for a slow reader in memory from now on, so that podrun can work meanwhile. */
export function openStreams(): void {
  streamOf('stdout');
  streamOf('stderr');
}

/** Keeps podrun's own colour codes in the text of this stream from now on. */
export function permitColors(name: StandardStream): void {
  colored.add(name);
}

/** Writes the text of this stream unchanged from now on: a program reads the output of a template. */
export function keepText(name: StandardStream): void {
  exact.add(name);
}

/** The text as `print` writes it. */
export function safeText(name: StandardStream, text: string): string {
  if (exact.has(name)) return text;
  return visibleControls(text, { keepsColors: colored.has(name) });
}

/**
 * Writes at once, or behind the queue of an opened stream. Does nothing when the reader is gone.
 *
 * All text passes through here, which keeps terminals safe: text may contain names and messages of other programs, so
 * its control characters are made visible. Bytes are written unchanged: output of containers, and podrun's cursor
 * movements.
 */
export function print(name: StandardStream, output: string | Uint8Array): void {
  if (lost.has(name)) return;
  const stream = opened.get(name);
  const text = typeof output === 'string' ? safeText(name, output) : output;
  let rest: string | Uint8Array = text;
  try {
    // Node writes to a file synchronously, too, and throws errors.
    if (stream !== undefined) return void stream.write(text);
    rest = typeof text === 'string' ? Buffer.from(text) : text;
    while (rest.length > 0) rest = rest.subarray(writeSync(DESCRIPTORS[name], rest));
  } catch (error) {
    // Another process with the same pipe may have set it to non-blocking.
    if (errnoOf(error) === 'EAGAIN') streamOf(name).write(rest);
    else lose(name, error);
  }
}

/** Writes to standard error. */
export function printError(text: string | Uint8Array): void {
  print('stderr', text);
}

/** Calls back when the reader of standard output is gone; at once when that has already happened. */
export function onOutputLost(callback: (how: ReaderGone) => void): void {
  onLost.add(callback);
  const how = lost.get('stdout');
  if (how !== undefined) callback(how);
}

/** True when podrun could not write output, although somebody reads it. */
export function hasOutputFailed(): boolean {
  return hasFailed;
}

/**
 * Drops the output of a stream that cannot be written. podrun goes on, because its work matters more than a lost
 * remark. A failure to write standard output itself (a full disk) is reported.
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

/** True for a terminal. Node's terminal code is loaded only for character devices. */
export function isTerminal(name: StandardStream): boolean {
  return isCharacterDevice(DESCRIPTORS[name]) && isatty(DESCRIPTORS[name]);
}

function isCharacterDevice(descriptor: number): boolean {
  const stats = fstatSync(descriptor);
  return stats.isCharacterDevice() && stats.rdev !== statSync(devNull).rdev;
}

/** The number of bytes that a slow reader has not taken. */
export function waitingBytes(name: StandardStream): number {
  return lost.has(name) ? 0 : (opened.get(name)?.writableLength ?? 0);
}

/** Resolves when the reader has all output, or is gone. */
export function flush(name: StandardStream): Promise<void> {
  const stream = lost.has(name) ? undefined : opened.get(name);
  return stream === undefined ? Promise.resolve() : drained(stream);
}

/** Resolves when a stream has passed everything on, or its reader is gone: a pipe takes only so much at a time. */
export function drained(stream: Writable): Promise<void> {
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

/** The seconds below which a command does not look for a dead terminal: the code for that takes 4 ms to load. */
const BRIEF_S = 1;

/**
 * Closes a terminal that is gone, as the last step of the process. Node would try to restore the settings of the
 * terminal, and abort when that fails.
 */
export function leaveDeadTerminal(): void {
  if (opened.size === 0 && lost.size === 0 && process.uptime() < BRIEF_S) return;
  for (const descriptor of [0, 1, 2]) {
    try {
      if (isCharacterDevice(descriptor) && !isatty(descriptor)) closeSync(descriptor);
    } catch {
      // The descriptor is closed already.
    }
  }
}

/**
 * The columns of the terminal on standard output. Undefined when there is no terminal, or a terminal without a size.
 */
export function terminalWidth(): number | undefined {
  return isTerminal('stdout') ? streamOf('stdout').columns || undefined : undefined;
}
