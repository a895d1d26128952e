import type { Socket as DatagramSocket } from 'node:dgram';
import type { Server } from 'node:net';
import type { Clock } from '../../clock.ts';
import { hasSocket, listenerKey, type ServiceHealth, type ServiceListener } from '../base/service-listener.ts';
import { EndpointChoice, type Permits } from './endpoint-choice.ts';
import { HealthService } from './health-service.ts';
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
  /** Undefined: the listener leads to endpoints. */
  health: ServiceHealth | undefined;
  service: TcpService | UdpService | HealthService | undefined;
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
  #permits: Permits = () => true;
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

  /** Judges new connections, and new clients of UDP, by these policies. Open connections continue. */
  restrict(permits: Permits): void {
    this.#permits = permits;
  }

  /** Takes over the socket of a listener of the last update. */
  adopt(key: string, socket: Server | DatagramSocket): void {
    const served = this.#served.get(key);
    // The listener has lost its endpoints meanwhile.
    if (served === undefined || served.service !== undefined) return void socket.close();
    if ('bind' in socket) served.service = UdpService.adopt(socket, served.choice, this.#options.clock);
    else if (served.health === undefined) served.service = TcpService.adopt(socket, served.choice);
    else served.service = HealthService.adopt(socket, served.health);
  }

  /** Closes all sockets, and resets open connections. */
  close(): void {
    for (const { service } of this.#served.values()) end(service);
    for (const service of this.#closing) service.destroy();
    this.#served.clear();
  }

  async #update(listeners: readonly ServiceListener[]): Promise<ListenTrouble[]> {
    const wanted = new Map(listeners.filter(hasSocket).map((listener) => [listenerKey(listener), listener]));
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
    const { health, protocol, address, port } = listener;
    const permits: Permits = (connection) => this.#permits(connection);
    const begun = { choice: new EndpointChoice(listener, clock, permits), health, service: undefined };
    const served: Served = this.#served.get(key) ?? begun;
    this.#served.set(key, served);
    served.choice.update(listener);
    served.health = health;
    if (served.service instanceof HealthService && health !== undefined) served.service.update(health);
    if (served.service instanceof TcpService) served.service.retry();
    if (served.service !== undefined || !opens(listener)) return undefined;
    try {
      if (health !== undefined) served.service = await HealthService.open(address, port, health);
      else if (protocol === 'TCP') served.service = await TcpService.open(address, port, served.choice);
      else served.service = await UdpService.open(address, port, served.choice, clock);
      return undefined;
    } catch (error) {
      return { listener, error: error as NodeJS.ErrnoException };
    }
  }
}

function end(service: Served['service']): void {
  if (service instanceof TcpService) service.destroy();
  else service?.close();
}
