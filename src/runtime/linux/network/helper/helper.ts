import type { Socket as DatagramSocket } from 'node:dgram';
import { connect, type Server, type Socket } from 'node:net';
import type { Clock } from '../../../../clock.ts';
import { DnsServer } from '../../../../network/dns/dns-server.ts';
import { ServiceProxy } from '../../../../network/proxy/service-proxy.ts';
import type { ServiceListener } from '../../../../network/service-listener.ts';
import { splice } from '../../../../network/splice.ts';
import { PodrunsConnections } from './podruns-connections.ts';
import type { DialTarget, HelperAnswer, HelperDial, HelperRequest } from './protocol.ts';

/** Sends a message to podrun, with a connection if there is one. */
export type Send = (message: HelperAnswer | HelperDial, socket?: Socket) => void;

/** Opens connections in a network for podrun, and serves podrun's listening sockets from there. */
export class Helper {
  readonly #send: Send;
  /** By id of the request that brought them. */
  readonly #servers = new Map<number, Server>();
  readonly #proxy: ServiceProxy;
  readonly #connections: PodrunsConnections;
  readonly #dns: DnsServer;

  constructor(send: Send, clock: Clock) {
    this.#send = send;
    this.#proxy = new ServiceProxy({ clock, opens: ({ network }) => network === 'pods' });
    this.#connections = new PodrunsConnections(send);
    this.#dns = new DnsServer(clock, (server) => this.#connections.dial(server));
  }

  handle(request: HelperRequest, handle: unknown): void {
    switch (request.type) {
      case 'dial':
        return this.#dial(request.id, request);
      case 'serve':
        return this.#serve(request.id, request, handle as Server);
      case 'services':
        return void this.#serveServices(request.id, request.listeners);
      case 'adopt':
        this.#proxy.adopt(request.key, handle as Server | DatagramSocket);
        return this.#send({ id: request.id });
      case 'names':
        return void this.#serveNames(request);
      case 'nameServer':
        this.#dns.forwarder.add(request.server, handle as DatagramSocket);
        return this.#send({ id: request.id });
      case 'dialed':
        this.#connections.dialed(request.dial, handle as Socket | undefined);
        return this.#send({ id: request.id });
      case 'stop': {
        this.#servers.get(request.served)?.close();
        this.#servers.delete(request.served);
        return this.#send({ id: request.id });
      }
      default:
        return request satisfies never;
    }
  }

  /** Passes the connection on without reading from it, so that the first bytes of the other side reach its user. */
  #dial(id: number, { host, port }: DialTarget): void {
    const socket = connect({ host, port });
    socket.pause();
    const failed = (error: Error): void => this.#fail(id, error, error.message);
    socket.once('error', failed);
    socket.once('connect', () => {
      socket.off('error', failed).on('error', () => undefined);
      this.#send({ id }, socket);
    });
  }

  async #serveServices(id: number, listeners: readonly ServiceListener[]): Promise<void> {
    const troubles = await this.#proxy.update(listeners);
    // As plain data: an error would lose its message on the way.
    this.#send({
      id,
      troubles: troubles.map(({ listener, error }) => ({ listener, error: { ...error, message: error.message } })),
    });
  }

  async #serveNames({ id, names, at }: Extract<HelperRequest, { type: 'names' }>): Promise<void> {
    this.#dns.update(names);
    try {
      await this.#dns.open(at.address, at.port);
      this.#send({ id });
    } catch (error) {
      this.#fail(id, error as Error, (error as Error).message);
    }
  }

  /** The fields of Node's error go along, with this message. */
  #fail(id: number, error: Error, message: string): void {
    this.#send({ id, error: Object.assign({}, error, { message }) });
  }

  #serve(id: number, { host, port }: DialTarget, server: Server): void {
    this.#servers.set(id, server);
    server.on('connection', (client) => {
      // The socket of the other side, not this one, decides about the end of each direction.
      client.allowHalfOpen = true;
      client.pause();
      const target = connect({ host, port, allowHalfOpen: true });
      const refuse = (): void => void client.resetAndDestroy();
      client.on('error', () => target.destroy());
      target.once('error', refuse);
      target.once('connect', () => {
        target.off('error', refuse);
        splice(client, target);
      });
    });
    this.#send({ id });
  }
}
