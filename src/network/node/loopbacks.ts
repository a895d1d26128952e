import type { Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { guarded } from '../../defects.ts';

/** A sample of 127.0.0.0/8: a server that can listen here can listen on all of it. */
const TRIED_ADDRESS = '127.93.0.1';

/**
 * True when each Pod can have its own address: servers may listen on all of 127.0.0.0/8. On Linux they may if the
 * loopback interface has that network (inet_addr_type in net/ipv4). On macOS only 127.0.0.1 works until an
 * administrator adds more addresses.
 */
export function hasPodAddresses(): Promise<boolean> {
  // No trial: the first server would cost a start 5 ms, since Node loads modules for it.
  if (process.platform === 'linux' && hasLoopbackNetwork()) return Promise.resolve(true);
  return new Promise((resolve) => {
    // Not imported: child_process has loaded the module already.
    const server: Server = guarded(process.getBuiltinModule('node:net').createServer());
    server.once('error', () => resolve(false));
    server.listen({ host: TRIED_ADDRESS, port: 0 }, () => server.close(() => resolve(true)));
  });
}

function hasLoopbackNetwork(): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap((known) => known ?? []);
  return addresses.some(({ internal, cidr }) => internal && cidr === '127.0.0.1/8');
}
