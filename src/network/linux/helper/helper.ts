import type { Socket as DatagramSocket } from 'node:dgram';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { defectText, guarded, inBackground, tellDefect } from '../../../defects.ts';
import type { Clock } from '../../../clock.ts';
import { PolicyGate } from '../../../controllers/index.ts';
import { DnsServer } from '../../dns/dns-server.ts';
import { EndpointChoice } from '../../proxy/endpoint-choice.ts';
import { ServiceProxy } from '../../proxy/service-proxy.ts';
import { TcpService } from '../../proxy/tcp-service.ts';
import { UdpService } from '../../proxy/udp-service.ts';
import type { DialTarget, HelperAnswer, HelperDial, HelperRequest } from './protocol.ts';
import type { NameServer } from '../../dns/forwarder.ts';

/** Connections that podrun opens for its helper: those with the machine's name servers. */
class PodrunsConnections {
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

/** Sends a message to podrun, with a connection or a listening socket if there is one: it belongs to podrun then. */
export type Send = (message: HelperAnswer | HelperDial, socket?: Socket | Server) => void;

/** Opens connections in a network for podrun, and serves podrun's listening sockets from there. */
export class Helper {
  readonly #send: Send;
  /** By id of the request that brought them. */
  readonly #served = new Map<number, TcpService | UdpService>();
  readonly #clock: Clock;
  readonly #proxy: ServiceProxy;
  readonly #connections: PodrunsConnections;
  readonly #dns: DnsServer;

  constructor(send: Send, clock: Clock) {
    this.#send = send;
    this.#clock = clock;
    this.#proxy = new ServiceProxy({ clock, opens: ({ network }) => network === 'pods' });
    this.#connections = new PodrunsConnections(send);
    this.#dns = new DnsServer(clock, (server) => this.#connections.dial(server));
  }

  /** Keeps serving after podrun has exited: Services keep their endpoints, DNS keeps its records for 40 s. */
  podrunHasEnded(): void {
    this.#dns.serveAlone();
  }

  /** Every request has an answer: podrun waits for it. */
  handle(request: HelperRequest, handle: unknown): void {
    try {
      this.#handle(request, handle);
    } catch (error) {
      this.#broken(request.id, error);
    }
  }

  #handle(request: HelperRequest, handle: unknown): void {
    switch (request.type) {
      case 'dial':
        return this.#dial(request.id, request);
      case 'listen':
        return this.#listen(request.id, request);
      case 'serve':
        return this.#serve(request.id, request, handle as Server | DatagramSocket);
      case 'services':
        return this.#answer(request.id, this.#serveServices(request));
      case 'adopt':
        this.#proxy.adopt(request.key, handle as Server | DatagramSocket);
        return this.#send({ id: request.id });
      case 'names':
        return this.#answer(request.id, this.#serveNames(request));
      case 'nameServer':
        this.#dns.forwarder.add(request.server, handle as DatagramSocket);
        return this.#send({ id: request.id });
      case 'dialed':
        this.#connections.dialed(request.dial, handle as Socket | undefined);
        return this.#send({ id: request.id });
      case 'stop': {
        this.#served.get(request.served)?.close();
        this.#served.delete(request.served);
        return this.#send({ id: request.id });
      }
      default:
        return request satisfies never;
    }
  }

  /** Passes the connection on without reading from it, so that the first bytes of the other side reach its user. */
  #dial(id: number, { host, port }: DialTarget): void {
    const socket = guarded(connect({ host, port }));
    socket.pause();
    const failed = (error: Error): void => this.#fail(id, error, error.message);
    socket.once('error', failed);
    socket.once('connect', () => {
      socket.off('error', failed).on('error', () => undefined);
      this.#send({ id }, socket);
    });
  }

  #listen(id: number, { host, port }: DialTarget): void {
    const server = guarded(createServer());
    server.once('error', (error) => this.#fail(id, error, error.message));
    server.listen({ host, port }, () => this.#send({ id }, server));
  }

  async #serveServices({ id, listeners, policies }: Extract<HelperRequest, { type: 'services' }>): Promise<void> {
    if (policies !== undefined) {
      const gate = new PolicyGate(policies.groups, policies.nodes);
      this.#proxy.restrict((connection) => gate.permits(connection));
    }
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

  #answer(id: number, work: Promise<void>): void {
    inBackground(work.catch((error: unknown) => this.#broken(id, error)));
  }

  #broken(id: number, error: unknown): void {
    tellDefect(error);
    this.#fail(id, error instanceof Error ? error : new Error(String(error)), defectText(error));
  }

  /** The fields of Node's error go along, with this message. */
  #fail(id: number, error: Error, message: string): void {
    this.#send({ id, error: Object.assign({}, error, { message }) });
  }

  #serve(id: number, { host, port }: DialTarget, socket: Server | DatagramSocket): void {
    const shared = { network: 'machine', address: '', port: 0, service: '', affinitySeconds: undefined } as const;
    const protocol = 'bind' in socket ? 'UDP' : 'TCP';
    const choice = new EndpointChoice({ ...shared, protocol, endpoints: [{ address: host, port }] }, this.#clock);
    this.#served.set(
      id,
      'bind' in socket ? UdpService.adopt(socket, choice, this.#clock) : TcpService.adopt(socket, choice),
    );
    this.#send({ id });
  }
}
