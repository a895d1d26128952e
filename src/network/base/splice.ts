import type { Socket } from 'node:net';

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
