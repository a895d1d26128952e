/*
 * The program of the helper process, which runs in the network of a Pod or of a cluster. The build makes one file of
 * it, dist/network-helper.cjs. It ends with podrun.
 */

import { SystemClock } from '../../../../clock.ts';
import { Helper } from './helper.ts';
import type { HelperRequest } from './protocol.ts';

const helper = new Helper((answer, socket) => process.send?.(answer, socket), new SystemClock());
process.on('message', (request, handle) => helper.handle(request as HelperRequest, handle));
// Not `disconnect`: Node does not emit it while a connection is on its way to podrun.
process.stdin.resume().on('end', () => process.exit());
