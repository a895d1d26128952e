import { futimesSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import type { ReadStream } from 'node:tty';
import { caught, guarded } from '../../defects.ts';
import { quietly } from '../../quietly.ts';
import { type Clock, nextEventLoopTurn, sleep } from '../../clock.ts';

/** Reads a pipe and passes on its pieces. */
export interface PipeReader {
  /**
   * Settles with true when all writers have closed the pipe and everything was passed on. Settles with false after
   * `finish` or `close`, when there may still be a writer.
   */
  readonly closed: Promise<boolean>;
  /** Passes on the content of the pipe, then closes it. Later writes are lost, and their writers get SIGPIPE. */
  finish(): Promise<void>;
  /** Closes the pipe at once. */
  close(): void;
  /** Leaves new output in the pipe while held. A reader begins held. */
  hold(held: boolean): void;
}

/** Gets a piece, which is valid during the call only. */
type OnChunk = (chunk: Buffer) => void;

/**
 * Reads a FIFO whose reading end is `fd`, and owns the descriptor.
 * @param isNoted true: after each piece was passed on, marks the FIFO with {@link noteNothingInFlight}
 */
export function readFifo(fd: number, clock: Clock, onChunk: OnChunk, isNoted = false): PipeReader {
  const onPiece = (chunk: Buffer): void => {
    onChunk(chunk);
    if (isNoted && !socket.destroyed) noteNothingInFlight(fd);
  };
  // Without a buffer of podrun's own, a socket reads one piece ahead while it is held: that piece would be lost if
  // podrun were killed.
  const take = caught(onPiece);
  const callback = (length: number): true => {
    take(sharedBuffer.subarray(0, length));
    return true;
  };
  const onread = { buffer: sharedBuffer, callback };
  // The types of the constructor lack this option.
  const options = { fd, readable: true, writable: false, onread };
  const socket = guarded(new Socket(options), { ends: false });
  return readDescriptor(socket, fd, clock, onPiece);
}

/** The buffer for all FIFOs. The next read overwrites it. */
const sharedBuffer = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * Notes that everything read from a FIFO was passed on: sets its access time to 0. The kernel removes that note with
 * the next read, atomically, so that it is right whenever podrun is killed. The watchdog checks it: see
 * watchdog-script.ts.
 */
export function noteNothingInFlight(fd: number): void {
  // Without the note, output that podrun has not read when it is killed stays out of the log: the log has no gap.
  quietly(() => futimesSync(fd, 0, 0));
}

/** Reads the master side of a terminal, and owns the descriptor. */
export function readTerminal(terminal: ReadStream, fd: number, clock: Clock, onChunk: OnChunk): PipeReader {
  return readDescriptor(terminal, fd, clock, onChunk);
}

function readDescriptor(socket: Socket, fd: number, clock: Clock, onChunk: OnChunk): PipeReader {
  const { foundEnd, ...reader } = passOn(socket, onChunk);
  return {
    ...reader,
    async finish() {
      // While held, a terminal may have read a piece that was not passed on: `read` emits it. Otherwise both ways of
      // reading pass on at once, which keeps the order of the bytes.
      const passOnBuffered = (): void => {
        while (socket.read() !== null);
      };
      passOnBuffered();
      // Bytes are the limit, not time: what the pipe held is passed on by a busy machine, too.
      for (let bytes = 0; !socket.destroyed && bytes < DRAIN_LIMIT_BYTES;) {
        const slice = drainSlice(fd, clock, onChunk);
        bytes += slice.bytes;
        if (slice.left === 'end') foundEnd();
        if (slice.left !== 'more') break;
        await new Promise<void>(nextEventLoopTurn);
      }
      socket.destroy();
    },
  };
}

/**
 * Reads a pipe of Node, which cannot be emptied on demand: it is complete at the end of the stream, or when no data has
 * come for a while.
 */
export function readPipe(socket: Socket, clock: Clock, onChunk: OnChunk): PipeReader {
  let quietLaps = 0;
  const onPiece = (chunk: Buffer): void => {
    quietLaps = 0;
    onChunk(chunk);
  };
  return {
    ...passOn(socket, onPiece),
    async finish() {
      const startMs = clock.now().monotonicMs;
      quietLaps = 0;
      socket.resume();
      // Counts turns of the event loop, not time alone: a busy loop has not looked at the pipe.
      while (!socket.readableEnded && !socket.destroyed && quietLaps < QUIET_LAPS) {
        if (clock.now().monotonicMs - startMs >= DRAIN_LIMIT_MS) break;
        quietLaps++;
        await sleep(clock, 1);
      }
      socket.destroy();
    },
  };
}

/** The largest pipe of an ordinary user on Linux. What comes after as much was written meanwhile. */
const DRAIN_LIMIT_BYTES = 1024 * 1024;
/** The time for a pipe of Node, whose content has no known size. */
const DRAIN_LIMIT_MS = 500;
const DRAIN_SLICE_MS = 2;
const QUIET_LAPS = 10;
const CHUNK_BYTES = 64 * 1024;

function passOn(
  socket: Socket,
  onChunk: OnChunk,
): Pick<PipeReader, 'closed' | 'close' | 'hold'> & { readonly foundEnd: () => void } {
  let isAtEnd = false;
  const foundEnd = (): void => void (isAtEnd = true);
  socket.pause();
  socket.on('data', onChunk);
  socket.once('end', foundEnd);
  // A reading end has no errors but errors of its closing.
  socket.on('error', () => undefined);
  const closed = new Promise<boolean>((resolve) => {
    socket.once('close', () => resolve(isAtEnd));
  });
  return {
    foundEnd,
    closed,
    close: () => void socket.destroy(),
    hold: (held) => void (held ? socket.pause() : socket.resume()),
  };
}

/** Reads until the pipe is empty or at its end, or until its time slice is over. */
function drainSlice(
  fd: number,
  clock: Clock,
  onChunk: OnChunk,
): { readonly left: 'empty' | 'end' | 'more'; readonly bytes: number } {
  const startMs = clock.now().monotonicMs;
  let bytes = 0;
  do {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const length = quietly(() => readSync(fd, chunk));
    // EAGAIN: a process holds the other end; EIO: no process holds the terminal.
    if (length === undefined) return { left: 'empty', bytes };
    if (length === 0) return { left: 'end', bytes };
    bytes += length;
    onChunk(chunk.subarray(0, length));
  } while (clock.now().monotonicMs - startMs < DRAIN_SLICE_MS);
  return { left: 'more', bytes };
}
