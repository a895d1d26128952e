/*
 * The program of the helper process, which runs in the network of a Pod or of a cluster. The build makes one file of
 * it, dist/network-helper.cjs. It ends with podrun. Once it is on record, in the file of its argument, it goes on for
 * the next podrun, which ends it. It ends by itself when the record is gone: nobody would find it.
 */

import { existsSync } from 'node:fs';
import { SystemClock } from '../../../../clock.ts';
import { Helper } from './helper.ts';
import type { HelperRequest } from './protocol.ts';

/** The period of looks at the record, without podrun. */
const LOOK_EVERY_MS = 5000;

const clock = new SystemClock();
const helper = new Helper((answer, socket) => {
  const isServer = socket !== undefined && 'listening' in socket;
  // The message carries a listening socket now, which would accept connections here as well.
  const sent = (): void => void (isServer && socket.close());
  // Without podrun, nobody waits for the answer.
  if (process.connected) process.send?.(answer, socket, undefined, sent);
  else if (isServer) socket.close();
  else socket?.destroy();
}, clock);
process.on('message', (request, handle) => helper.handle(request as HelperRequest, handle));

let isRecorded = false;
const goOn = (record: string): void => {
  if (!existsSync(record)) process.exit();
  clock.wakeAt(clock.now().monotonicMs + LOOK_EVERY_MS, () => goOn(record));
};
// Not `disconnect`: Node does not emit it while a connection is on its way to podrun.
process.stdin
  .on('data', () => (isRecorded = true))
  .on('end', () => {
    const [, , record] = process.argv;
    if (!isRecorded || record === undefined) process.exit();
    helper.podrunHasEnded();
    goOn(record);
  });
