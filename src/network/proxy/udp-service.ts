import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { guarded } from '../../defects.ts';
import type { Alarm, Clock } from '../../clock.ts';
import type { ServiceEndpoint } from '../base/service-listener.ts';
import type { EndpointChoice } from './endpoint-choice.ts';

/** A client keeps its endpoint until it was quiet for so long. Source: net.netfilter.nf_conntrack_udp_timeout. */
const QUIET_MS = 30_000;

/** The clients of one address and port that are served at once. */
const FLOWS_MAX = 4096;

/** The datagrams that wait for one socket. More are lost, as on a busy network. */
const WAITING_MAX = 16;

/** The datagrams between one client and its endpoint. */
interface Flow {
  readonly endpoint: ServiceEndpoint;
  readonly socket: Socket;
  /** Datagrams from before the socket is connected. Undefined: it is. */
  waiting: Buffer[] | undefined;
  lastMs: number;
  alarm: Alarm;
}

/** Forwards the datagrams of a socket to the endpoints of a Service, and the replies back. */
export class UdpService {
  readonly #socket: Socket;
  readonly #choice: EndpointChoice;
  readonly #clock: Clock;
  /** By address and port of the client. */
  readonly #flows = new Map<string, Flow>();

  private constructor(socket: Socket, choice: EndpointChoice, clock: Clock) {
    this.#socket = socket;
    this.#choice = choice;
    this.#clock = clock;
    socket.on('message', (message, client) => this.#forward(message, client));
    socket.on('error', () => undefined);
  }

  /** @throws {Error} (EADDRINUSE, EACCES, EADDRNOTAVAIL) when the address cannot be listened on */
  static open(address: string, port: number, choice: EndpointChoice, clock: Clock): Promise<UdpService> {
    const socket = guarded(createSocket('udp4'));
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({ address, port, exclusive: true }, () => {
        socket.off('error', reject);
        resolve(new UdpService(socket, choice, clock));
      });
    });
  }

  /** Takes over a bound socket that another process has made. */
  static adopt(socket: Socket, choice: EndpointChoice, clock: Clock): UdpService {
    return new UdpService(socket, choice, clock);
  }

  close(): void {
    this.#socket.close();
    for (const client of this.#flows.keys()) this.#end(client);
  }

  #forward(message: Buffer, client: RemoteInfo): void {
    const key = `${client.address}:${client.port}`;
    const known = this.#flows.get(key);
    if (known !== undefined && !this.#choice.has(known.endpoint)) this.#end(key);
    const flow = this.#flows.get(key) ?? this.#begin(key, client);
    if (flow === undefined) return;
    flow.lastMs = this.#clock.now().monotonicMs;
    if (flow.waiting === undefined) flow.socket.send(message, () => undefined);
    else if (flow.waiting.length < WAITING_MAX) flow.waiting.push(message);
  }

  #begin(key: string, client: RemoteInfo): Flow | undefined {
    const [endpoint] = this.#choice.candidates(client.address);
    if (endpoint === undefined || this.#flows.size >= FLOWS_MAX) return undefined;
    if (!this.#choice.permits(client.address, endpoint)) return undefined;
    this.#choice.chosen(client.address, endpoint);
    const socket = guarded(createSocket('udp4'));
    const lastMs = this.#clock.now().monotonicMs;
    const flow: Flow = { endpoint, socket, waiting: [], lastMs, alarm: this.#lookAt(key, lastMs + QUIET_MS) };
    this.#flows.set(key, flow);
    socket.on('message', (answer) => {
      flow.lastMs = this.#clock.now().monotonicMs;
      this.#socket.send(answer, client.port, client.address, () => undefined);
    });
    // The endpoint refuses: the next datagram may go to another one.
    socket.on('error', () => this.#end(key));
    socket.connect(endpoint.port, endpoint.address, () => {
      const { waiting = [] } = flow;
      flow.waiting = undefined;
      for (const message of waiting) socket.send(message, () => undefined);
    });
    return flow;
  }

  #lookAt(key: string, atMs: number): Alarm {
    return this.#clock.wakeAt(atMs, () => {
      const flow = this.#flows.get(key);
      if (flow === undefined) return;
      const quietAtMs = flow.lastMs + QUIET_MS;
      if (quietAtMs <= this.#clock.now().monotonicMs) this.#end(key);
      else flow.alarm = this.#lookAt(key, quietAtMs);
    });
  }

  #end(key: string): void {
    const flow = this.#flows.get(key);
    if (flow === undefined) return;
    this.#flows.delete(key);
    flow.alarm.cancel();
    flow.socket.close();
  }
}
