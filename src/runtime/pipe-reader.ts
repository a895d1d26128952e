import { futimesSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import type { ReadStream } from 'node:tty';
import { type Clock, nextEventLoopTurn } from '../clock.ts';

/** Hands on what comes out of a pipe, piece by piece. */
export interface PipeReader {
  /**
   * Settles when nobody holds the other end any more and all has been handed on (true); or after `finish` or `close`:
   * false, where there may be somebody.
   */
  readonly closed: Promise<boolean>;
  /**
   * Hands on what is in the pipe now, then closes it. What somebody who still holds the other end writes later is lost,
   * and whoever writes it gets SIGPIPE. Takes at most 500 ms.
   */
  finish(): Promise<void>;
  /** Closes the pipe at once. */
  close(): void;
  /** Leaves in the pipe what comes, until told to go on. It begins held. */
  hold(held: boolean): void;
}

type OnChunk = (chunk: Buffer) => void;

/**
 * Reads a FIFO whose reading end is `fd`, and owns the descriptor.
 * @param isNoted each time that a piece has been handed on, the FIFO bears the note of {@link noteNothingInFlight}
 */
export function readFifo(fd: number, clock: Clock, onChunk: OnChunk, isNoted = false): PipeReader {
  const onPiece = (chunk: Buffer): void => {
    onChunk(chunk);
    if (isNoted && !socket.destroyed) noteNothingInFlight(fd);
  };
  // Without a buffer of ours, a socket reads a piece ahead while it is held: that would be lost if podrun were killed.
  const onread = { buffer: sharedBuffer, callback: (length: number): true => copyAndHandOn(length, onPiece) };
  // Of its constructor, the types do not know this option.
  const options = { fd, readable: true, writable: false, onread };
  const socket = new Socket(options);
  return readDescriptor(socket, fd, clock, onPiece);
}

/** All FIFOs are read into it: each piece is copied before anything else can happen. */
const sharedBuffer = Buffer.allocUnsafeSlow(64 * 1024);

function copyAndHandOn(length: number, onChunk: OnChunk): true {
  onChunk(Buffer.from(sharedBuffer.subarray(0, length)));
  return true;
}

/**
 * Notes that all that was read from a FIFO has been handed on: its access time becomes 0. The kernel takes that note
 * away with the next read, in the same step, so that it cannot be wrong at the moment at which podrun is killed. The
 * watchdog looks for it: see watchdog-script.ts.
 */
export function noteNothingInFlight(fd: number): void {
  try {
    futimesSync(fd, 0, 0);
  } catch {
    // Without the note, what podrun has not read when it is killed is left out of the log: the log has no hole.
  }
}

/** Reads a terminal from the side of its master, and owns the descriptor. */
export function readTerminal(terminal: ReadStream, fd: number, clock: Clock, onChunk: OnChunk): PipeReader {
  return readDescriptor(terminal, fd, clock, onChunk);
}

function readDescriptor(socket: Socket, fd: number, clock: Clock, onChunk: OnChunk): PipeReader {
  const { foundEnd, ...reader } = handOn(socket, onChunk);
  return {
    ...reader,
    async finish() {
      const startMs = clock.now().monotonicMs;
      // While it was held, a piece of a terminal may have been read that was not handed on: `read` emits it. Otherwise
      // both ways of reading hand on at once what they have read, so that their order is that of the bytes.
      const handOnBuffered = (): void => {
        while (socket.read() !== null);
      };
      handOnBuffered();
      while (!socket.destroyed) {
        const left = drainSlice(fd, clock, onChunk);
        if (left === 'end') foundEnd();
        if (left !== 'more') break;
        if (clock.now().monotonicMs - startMs >= DRAIN_LIMIT_MS) break;
        await new Promise<void>((resolve) => {
          nextEventLoopTurn(resolve);
        });
      }
      socket.destroy();
    },
  };
}

/**
 * Reads a pipe that Node made, which it cannot be asked to empty at once: all has been read when the end of the stream
 * has come, or when nothing has come for a while.
 */
export function readPipe(socket: Socket, clock: Clock, onChunk: OnChunk): PipeReader {
  let quietLaps = 0;
  const onPiece = (chunk: Buffer): void => {
    quietLaps = 0;
    onChunk(chunk);
  };
  return {
    ...handOn(socket, onPiece),
    async finish() {
      const startMs = clock.now().monotonicMs;
      quietLaps = 0;
      socket.resume();
      // Laps of the event loop are counted, not time alone: a busy loop has not looked, however long it took.
      while (!socket.readableEnded && !socket.destroyed && quietLaps < QUIET_LAPS) {
        const nowMs = clock.now().monotonicMs;
        if (nowMs - startMs >= DRAIN_LIMIT_MS) break;
        quietLaps++;
        await new Promise<void>((resolve) => {
          clock.wakeAt(nowMs + 1, resolve);
        });
      }
      socket.destroy();
    },
  };
}

const DRAIN_LIMIT_MS = 500;
const DRAIN_SLICE_MS = 2;
const QUIET_LAPS = 10;
const CHUNK_BYTES = 64 * 1024;

function handOn(
  socket: Socket,
  onChunk: OnChunk,
): Pick<PipeReader, 'closed' | 'close' | 'hold'> & { readonly foundEnd: () => void } {
  let isAtEnd = false;
  const foundEnd = (): void => void (isAtEnd = true);
  socket.pause();
  socket.on('data', onChunk);
  socket.once('end', foundEnd);
  // The only errors of a reading end are those of its closing.
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

/** Reads until the pipe is empty or at its end, or until its share of the time is over. */
function drainSlice(fd: number, clock: Clock, onChunk: OnChunk): 'empty' | 'end' | 'more' {
  const startMs = clock.now().monotonicMs;
  do {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let length: number;
    try {
      length = readSync(fd, chunk);
    } catch {
      return 'empty'; // EAGAIN: somebody still holds the other end; EIO: nobody holds a terminal
    }
    if (length === 0) return 'end';
    onChunk(chunk.subarray(0, length));
  } while (clock.now().monotonicMs - startMs < DRAIN_SLICE_MS);
  return 'more';
}
