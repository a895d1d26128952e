import type { Socket as DatagramSocket } from 'node:dgram';
import type { Server } from 'node:net';
import type { Clock } from '../../clock.ts';
import { listenerKey, type ServiceListener } from '../base/service-listener.ts';
import { EndpointChoice } from './endpoint-choice.ts';
import { TcpService } from './tcp-service.ts';
import { UdpService } from './udp-service.ts';

/** A listener that could not listen. */
export interface ListenTrouble {
  readonly listener: ServiceListener;
  readonly error: NodeJS.ErrnoException;
}

export interface ServiceProxyOptions {
  readonly clock: Clock;
  /** True for a listener that the proxy opens itself. All other sockets are passed in with `adopt`. */
  readonly opens: (listener: ServiceListener) => boolean;
}

interface Served {
  readonly choice: EndpointChoice;
  service: TcpService | UdpService | undefined;
}

/**
 * Serves Services in user space. A Service without endpoints has no socket: the kernel refuses its
 * connections at once. Connections stay with their endpoint until one side ends them.
 */
export class ServiceProxy {
  readonly #options: ServiceProxyOptions;
  readonly #served = new Map<string, Served>();
  /** TCP services that listen no more, and may have open connections. */
  readonly #closing = new Set<TcpService>();
  #updated: Promise<ListenTrouble[]> = Promise.resolve([]);

  constructor(options: ServiceProxyOptions) {
    this.#options = options;
  }

  /**
   * Opens and closes sockets until they match this list. One update after the other.
   * @returns the listeners that cannot listen. The next update tries them again
   */
  update(listeners: readonly ServiceListener[]): Promise<ListenTrouble[]> {
    this.#updated = this.#updated.then(() => this.#update(listeners));
    return this.#updated;
  }

  /** Takes over the socket of a listener of the last update. */
  adopt(key: string, socket: Server | DatagramSocket): void {
    const served = this.#served.get(key);
    // The listener has lost its endpoints meanwhile.
    if (served === undefined || served.service !== undefined) return void socket.close();
    served.service =
      'bind' in socket
        ? UdpService.adopt(socket, served.choice, this.#options.clock)
        : TcpService.adopt(socket, served.choice);
  }

  /** Closes all sockets, and resets open connections. */
  close(): void {
    for (const { service } of this.#served.values()) end(service);
    for (const service of this.#closing) service.destroy();
    this.#served.clear();
  }

  async #update(listeners: readonly ServiceListener[]): Promise<ListenTrouble[]> {
    const wanted = new Map(
      listeners.filter(({ endpoints }) => endpoints.length > 0).map((listener) => [listenerKey(listener), listener]),
    );
    for (const [key, { service }] of this.#served) {
      if (wanted.has(key)) continue;
      this.#served.delete(key);
      if (service instanceof TcpService) this.#drain(service);
      else service?.close();
    }
    const troubles = await Promise.all([...wanted].map(([key, listener]) => this.#serve(key, listener)));
    return troubles.flatMap((trouble) => trouble ?? []);
  }

  #drain(service: TcpService): void {
    this.#closing.add(service);
    service.close(() => this.#closing.delete(service));
  }

  async #serve(key: string, listener: ServiceListener): Promise<ListenTrouble | undefined> {
    const { clock, opens } = this.#options;
    const served = this.#served.get(key) ?? { choice: new EndpointChoice(listener, clock), service: undefined };
    this.#served.set(key, served);
    served.choice.update(listener);
    if (served.service !== undefined || !opens(listener)) return undefined;
    const { protocol, address, port } = listener;
    try {
      served.service =
        protocol === 'TCP'
          ? await TcpService.open(address, port, served.choice)
          : await UdpService.open(address, port, served.choice, clock);
      return undefined;
    } catch (error) {
      return { listener, error: error as NodeJS.ErrnoException };
    }
  }
}

function end(service: TcpService | UdpService | undefined): void {
  if (service instanceof TcpService) service.destroy();
  else service?.close();
}
