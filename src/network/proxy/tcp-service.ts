import { connect, createServer, type Server, type Socket } from 'node:net';
import { guarded } from '../../defects.ts';
import { splice } from '../base/connections.ts';
import type { ServiceEndpoint } from '../base/service-listener.ts';
import type { EndpointChoice } from './endpoint-choice.ts';

/** Connections that wait to be accepted. The kernel's own limit is 4096. */
const BACKLOG = 4096;

/** Leads the connections of a listening socket to the endpoints of a Service. */
export class TcpService {
  readonly #server: Server;
  readonly #choice: EndpointChoice;
  readonly #connections = new Set<Socket>();
  /** Tries the clients again that have no endpoint yet. */
  readonly #held = new Map<Socket, () => void>();

  private constructor(server: Server, choice: EndpointChoice) {
    this.#server = server;
    this.#choice = choice;
    server.on('connection', (client: Socket) => {
      // The socket of the other side, not this one, decides about the end of each direction.
      client.allowHalfOpen = true;
      client.pause();
      const { remoteAddress = '' } = client;
      this.#keep(client);
      this.#lead(client, remoteAddress, this.#choice.candidates(remoteAddress));
    });
  }

  /** @throws {Error} (EADDRINUSE, EACCES, EADDRNOTAVAIL) when the address cannot be listened on */
  static open(address: string, port: number, choice: EndpointChoice): Promise<TcpService> {
    const server = guarded(createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }));
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: address, port, backlog: BACKLOG }, () => {
        server.off('error', reject).on('error', () => undefined);
        resolve(new TcpService(server, choice));
      });
    });
  }

  /** Takes over a listening socket that another process has made. */
  static adopt(server: Server, choice: EndpointChoice): TcpService {
    return new TcpService(server, choice);
  }

  /**
   * Stops listening: new connections are refused, open ones continue.
   * @param ended called when the last of them has ended
   */
  close(ended?: () => void): void {
    this.#server.close(ended);
  }

  /** Ends the open connections, too. */
  destroy(): void {
    this.close();
    for (const connection of this.#connections) connection.resetAndDestroy();
  }

  /** Connects to the first endpoint that accepts. Nothing was read of the client yet. */
  #lead(client: Socket, from: string, [endpoint, ...others]: readonly ServiceEndpoint[]): void {
    if (endpoint === undefined)
      return this.#choice.isCutOff(from) ? this.#wait(client, from) : void client.resetAndDestroy();
    if (client.destroyed) return;
    if (!this.#choice.permits(from, endpoint)) return leaveUnanswered(client);
    const target = guarded(connect({ host: endpoint.address, port: endpoint.port, allowHalfOpen: true }));
    const giveUp = (): void => void target.destroy();
    const next = (): void => {
      client.off('close', giveUp);
      this.#lead(client, from, others);
    };
    client.once('close', giveUp);
    target.once('error', next);
    target.once('connect', () => {
      client.off('close', giveUp);
      target.off('error', next);
      this.#choice.chosen(from, endpoint);
      this.#keep(target);
      splice(client, target);
    });
  }

  /** Leads clients to endpoints that have none until now. In a cluster, the kernel of a client sends its SYN again. */
  retry(): void {
    for (const tryAgain of this.#held.values()) tryAgain();
  }

  #wait(client: Socket, from: string): void {
    const letGo = hold(client);
    client.once('close', () => this.#held.delete(client));
    this.#held.set(client, () => {
      if (this.#choice.isCutOff(from)) return;
      this.#held.delete(client);
      letGo();
      this.#lead(client, from, this.#choice.candidates(from));
    });
  }

  #keep(socket: Socket): void {
    this.#connections.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.#connections.delete(socket));
  }
}

/**
 * Leaves a client without an answer until it gives up, where the packets of a cluster are dropped. Its bytes are
 * read, since only then its end is heard of.
 */
function leaveUnanswered(client: Socket): void {
  client.once('end', () => client.destroy());
  client.resume();
}

/** The bytes of a client that waits that are kept: more than most send before the first answer. */
const KEPT_BYTES_MAX = 64 * 1024;

/**
 * Keeps the bytes of a client that waits for an endpoint: only a socket that is read hears of its end.
 * @returns ends that: the client is as if nothing had been read
 */
function hold(client: Socket): () => void {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const take = (piece: Buffer): void => {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > KEPT_BYTES_MAX) client.pause();
  };
  const giveUp = (): void => void client.destroy();
  client.once('end', giveUp).on('data', take).resume();
  return () => {
    client.off('end', giveUp).off('data', take).pause();
    if (bytes > 0) client.unshift(Buffer.concat(pieces));
  };
}
