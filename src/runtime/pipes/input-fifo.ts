import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import { guarded } from '../../defects.ts';
import type { Clock } from '../../clock.ts';
import { closeFifo, type InputFifo } from './fifo-pool.ts';
import { succeeds } from '../../quietly.ts';

/** The intervals at which late readers are let in after the end of the input. */
const LOOK_FIRST_MS = 5;
const LOOK_LAST_MS = 250;

/** Writes to a FIFO and owns its descriptors. The process has the reading end by now. */
export function writeFifo({ writeFd, placeFd }: InputFifo, clock: Clock): Writable {
  const socket = guarded(new Socket({ fd: writeFd, readable: false, writable: true }), { ends: false });
  socket.once('close', () => letInLateReaders(placeFd, clock));
  return socket;
}

/**
 * Lets late readers in. A program that opens `/dev/stdin` after the end of the input would wait for a writer for ever;
 * on a node, its unnamed pipe would be at its end at once. A writer that opens and closes the FIFO ends the wait, and
 * the reader finds the end. A waiting reader cannot be detected.
 */
function letInLateReaders(placeFd: number, clock: Clock): void {
  let pauseMs = LOOK_FIRST_MS;
  const look = (): void => {
    const flags = constants.O_WRONLY | constants.O_NONBLOCK;
    const isOpen = succeeds(() => closeSync(openSync(`/proc/self/fd/${placeFd}`, flags)));
    // No process has the FIFO open: there will be no more readers.
    if (!isOpen) return closeSync(placeFd);
    clock.wakeAt(clock.now().monotonicMs + pauseMs, look);
    pauseMs = Math.min(LOOK_LAST_MS, 2 * pauseMs);
  };
  look();
}

/** Closes an input FIFO that was not used. */
export function discardInput(fifo: InputFifo): void {
  closeFifo(fifo);
  closeSync(fifo.placeFd);
}
