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

/**
 * Joins two open connections: each gets what the other sends, its half-close, and its reset. Both must allow half-open
 * connections.
 */
export function splice(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.setNoDelay(true);
    from.on('error', () => cut(to));
    // After its end, the other side may still have bytes to send.
    from.once('close', () => {
      if (!from.readableEnded) to.destroy();
    });
    from.pipe(to);
  }
}

/** Resets a connection. One with TLS can only be closed. */
function cut(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}
