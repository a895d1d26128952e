import type { Server } from 'node:net';
import { networkInterfaces } from 'node:os';

/** What stands for all of 127.0.0.0/8: who may listen there may listen everywhere in it. */
const TRIED_ADDRESS = '127.93.0.1';

/**
 * Has this machine an address of its own for each Pod? May servers listen everywhere in 127.0.0.0/8? On Linux they may,
 * where the loopback interface has all of it (inet_addr_type in net/ipv4: the whole network of a loopback is local);
 * elsewhere (macOS) 127.0.0.1 is all there is, until an administrator adds others.
 */
export function hasPodAddresses(): Promise<boolean> {
  // Nothing tried: a first server costs a start 5 ms, for what Node loads for it.
  if (process.platform === 'linux' && hasWholeNetwork()) return Promise.resolve(true);
  return new Promise((resolve) => {
    // Not imported: whoever starts processes has it loaded already.
    const server: Server = process.getBuiltinModule('node:net').createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: TRIED_ADDRESS, port: 0 }, () => server.close(() => resolve(true)));
  });
}

function hasWholeNetwork(): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap((known) => known ?? []);
  return addresses.some(({ internal, cidr }) => internal && cidr === '127.0.0.1/8');
}
