/* The sockets of this machine that podrun gives to its helper. */

import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { createServer, type Server, type Socket } from 'node:net';
import { guarded } from '../../defects.ts';

/** An address of this machine. */
export interface HostAddress {
  readonly address: string;
  readonly port: number;
}

/** A socket that goes along with a request. */
export type Handle = Server | Socket | DatagramSocket;

export function closeHandle(socket: Handle): void {
  if ('close' in socket) socket.close();
  else socket.destroy();
}

export function listen({ address, port }: HostAddress): Promise<Server> {
  const server = guarded(createServer());
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: address, port, backlog: BACKLOG }, () => resolve(server));
  });
}

/** Connections that wait to be accepted. The kernel's own limit is 4096. */
const BACKLOG = 4096;

export function bind({ address, port }: HostAddress): Promise<DatagramSocket> {
  const socket = guarded(createSocket('udp4'));
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.bind({ address, port, exclusive: true }, () => resolve(socket));
  });
}
