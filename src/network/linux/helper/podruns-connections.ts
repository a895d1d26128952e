import type { Socket } from 'node:net';
import type { NameServer } from '../../dns/forwarder.ts';
import type { HelperDial } from './protocol.ts';

/** Connections that podrun opens for its helper: those with the machine's name servers. */
export class PodrunsConnections {
  readonly #send: (request: HelperDial) => void;
  readonly #waiting = new Map<number, (socket: Socket | undefined) => void>();
  #lastId = 0;

  constructor(send: (request: HelperDial) => void) {
    this.#send = send;
  }

  /** Rejects when podrun cannot open it. */
  dial(server: NameServer): Promise<Socket> {
    const dial = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(dial, (socket) => {
        this.#waiting.delete(dial);
        if (socket === undefined) reject(new Error('no connection'));
        else resolve(socket);
      });
      this.#send({ dial, server });
    });
  }

  dialed(dial: number, socket: Socket | undefined): void {
    this.#waiting.get(dial)?.(socket);
  }
}
