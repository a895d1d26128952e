/*
 * The program of the helper process, which runs in the network of a Pod or of a cluster. The build makes one file of
 * it, dist/network-helper.cjs. It ends with podrun, or serves what it serves for the next podrun, which ends it.
 */

import { SystemClock } from '../../../../clock.ts';
import { Helper } from './helper.ts';
import { type HelperRequest, OUTLIVES_PODRUN } from './protocol.ts';

const helper = new Helper((answer, socket) => {
  // Without podrun, nobody waits for the answer.
  if (process.connected) process.send?.(answer, socket, undefined, () => undefined);
  else socket?.destroy();
}, new SystemClock());
process.on('message', (request, handle) => helper.handle(request as HelperRequest, handle));
// Not `disconnect`: Node does not emit it while a connection is on its way to podrun.
if (process.argv[2] !== OUTLIVES_PODRUN) process.stdin.resume().on('end', () => process.exit());
