import type { Socket } from 'node:net';
import { inBackground } from '../../defects.ts';

const LENGTH_BYTES = 2;

/**
 * Reads the packets of a connection: each comes behind its length. At most one packet is kept, of 64 KiB.
 * @param onPacket the connection is read no further until the promise resolves
 */
export function inFrames(socket: Socket, onPacket: (packet: Buffer) => Promise<void> | void): void {
  let rest: Buffer = Buffer.alloc(0);
  let isBusy = false;
  const read = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    for (let length = wholeLength(rest); length !== undefined && !socket.destroyed; length = wholeLength(rest)) {
      const packet = rest.subarray(LENGTH_BYTES, length);
      rest = rest.subarray(length);
      await onPacket(packet);
    }
    isBusy = false;
    socket.resume();
  };
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    socket.pause();
    inBackground(read(), socket);
  });
}

/** Writes a packet behind its length. */
export function writeFrame(socket: Socket, packet: Buffer): void {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(packet.length);
  socket.write(Buffer.concat([length, packet]));
}

/** The length of the first packet with its length prefix. Undefined: the packet is incomplete. */
function wholeLength(bytes: Buffer): number | undefined {
  if (bytes.length < LENGTH_BYTES) return undefined;
  const length = LENGTH_BYTES + bytes.readUInt16BE(0);
  return bytes.length < length ? undefined : length;
}
