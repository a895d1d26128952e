import type { Server } from 'node:net';

/** What stands for all of 127.0.0.0/8: who may listen there may listen everywhere in it. */
const TRIED_ADDRESS = '127.93.0.1';

/**
 * Has this machine an address of its own for each Pod? May servers listen everywhere in 127.0.0.0/8? On Linux they may;
 * elsewhere (macOS) 127.0.0.1 is all there is, until an administrator adds others.
 */
export function hasPodAddresses(): Promise<boolean> {
  return new Promise((resolve) => {
    // Not imported: whoever starts processes has it loaded already.
    const server: Server = process.getBuiltinModule('node:net').createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: TRIED_ADDRESS, port: 0 }, () => server.close(() => resolve(true)));
  });
}
