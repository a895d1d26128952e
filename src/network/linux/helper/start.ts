/*
 * The program of the helper process, which runs in the network of a Pod or of a cluster. The build makes one file of
 * it, dist/network-helper.cjs. It ends with podrun. Once it is on record, in the file of its first argument, it keeps
 * running for the next podrun, which ends it. It ends by itself when the record is gone: no podrun would find it. The
 * same holds for the processes that hold and connect the network, whose records are the other arguments: they cannot
 * look.
 */

import { existsSync } from 'node:fs';
import { SystemClock } from '../../../clock.ts';
import { quietly, readQuietly } from '../../../quietly.ts';
import { killProcess, type ProcessIdentity } from '../../../runtime/index.ts';
import { tellDefects } from '../../../defect-file.ts';
import { keepAlive } from '../../../defects.ts';
import { Helper } from './helper.ts';
import type { HelperRequest } from './protocol.ts';

/** The period of looks at the record, without podrun. */
const LOOK_EVERY_MS = 5000;

// The output of this process is not read: the files report its defects. The ports that it serves live as long as it
// does.
keepAlive();
tellDefects({ write: () => undefined, fail: () => undefined });
const clock = new SystemClock();
const helper = new Helper((answer, socket) => {
  const isServer = socket !== undefined && 'listening' in socket;
  // The message carries a listening socket now, which would accept connections here as well.
  const sent = (): void => void (isServer && socket.close());
  // Without podrun, no process waits for the reply.
  if (process.connected) process.send?.(answer, socket, undefined, sent);
  else if (isServer) socket.close();
  else socket?.destroy();
}, clock);
process.on('message', (request, handle) => helper.handle(request as HelperRequest, handle));

const [, , ownRecord, ...sharedRecords] = process.argv;
/** The processes of the shared records, as last read. */
const shared = new Map<string, ProcessIdentity>();

/** Takes note of the shared processes, so that they can be ended when their records are gone. */
const note = (): void => {
  for (const record of sharedRecords) {
    const known = quietly(() => JSON.parse(readQuietly(record)) as ProcessIdentity);
    if (known !== undefined) shared.set(record, known);
  }
};

const look = (): void => {
  note();
  clock.wakeAt(clock.now().monotonicMs + LOOK_EVERY_MS, look);
};

const endWithRecord = (record: string): void => {
  if (!existsSync(record)) {
    for (const [file, process] of shared) if (!existsSync(file)) killProcess(process);
    process.exit();
  }
  clock.wakeAt(clock.now().monotonicMs + LOOK_EVERY_MS, () => endWithRecord(record));
};

let isRecorded = false;
// Not `disconnect`: Node does not emit it while a connection is on its way to podrun.
process.stdin
  .on('data', () => {
    isRecorded = true;
    look();
  })
  .on('end', () => {
    if (!isRecorded || ownRecord === undefined) process.exit();
    helper.podrunHasEnded();
    note();
    endWithRecord(ownRecord);
  });
