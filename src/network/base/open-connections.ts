import type { Server, Socket } from 'node:net';

/** The connections of a server that are open. */
export interface OpenConnections {
  /** Ends all connections, also later ones: the server has closed. */
  readonly end: () => void;
}

/**
 * Follows the connections of a server. Node.js ends those with a request only (`closeAllConnections`): one in the midst
 * of its TLS handshake, and one that was handed over (Upgrade), would keep the server and its process alive.
 */
export function openConnections(server: Server): OpenConnections {
  const sockets = new Set<Socket>();
  let hasEnded = false;
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    if (hasEnded) socket.destroy();
  });
  return {
    end: () => {
      hasEnded = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}
