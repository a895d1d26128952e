import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { Clock } from '../clock.ts';
import { closeFifo, type InputFifo } from './fifo-pool.ts';

/** How often those are let in who come after the end of the input. */
const LOOK_FIRST_MS = 5;
const LOOK_LAST_MS = 250;

/** Writes to a FIFO, and owns its descriptors; its reading end is somebody else's by now. */
export function writeFifo({ writeFd, placeFd }: InputFifo, clock: Clock): Writable {
  const socket = new Socket({ fd: writeFd, readable: false, writable: true });
  socket.once('close', () => letInLateReaders(placeFd, clock));
  return socket;
}

/**
 * Whoever opens `/dev/stdin` when nobody writes any more would wait for ever for a writer: of a pipe without a name,
 * which is what a node's container has, he would find the end at once. A writer that comes and goes lets him in, and he
 * finds the end, too. It cannot be seen that somebody waits.
 */
function letInLateReaders(placeFd: number, clock: Clock): void {
  let pauseMs = LOOK_FIRST_MS;
  const look = (): void => {
    try {
      closeSync(openSync(`/proc/self/fd/${placeFd}`, constants.O_WRONLY | constants.O_NONBLOCK));
    } catch {
      // Nobody has it open: there will be no more.
      return closeSync(placeFd);
    }
    clock.wakeAt(clock.now().monotonicMs + pauseMs, look);
    pauseMs = Math.min(LOOK_LAST_MS, 2 * pauseMs);
  };
  look();
}

/** It is not used. */
export function discardInput(fifo: InputFifo): void {
  closeFifo(fifo);
  closeSync(fifo.placeFd);
}
