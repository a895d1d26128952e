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
    if (endpoint === undefined) return this.#choice.isCutOff(from) ? hold(client) : void client.resetAndDestroy();
    if (client.destroyed) return;
    if (!this.#choice.permits(from, endpoint)) return hold(client);
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
function hold(client: Socket): void {
  client.once('end', () => client.destroy());
  client.resume();
}
