import { connect, type Socket } from 'node:net';
import { guarded, inBackground } from '../defects.ts';
import type { Alarm, Clock } from '../clock.ts';
import type { RequestCount } from '../lifecycle/index.ts';

/** The place at which this machine reaches a Service. */
export interface CountedService {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

const EVERY_MS = 100;
/** A user gives up after this time. */
const PATIENCE_MS = 2000;

/**
 * A client of each Service: sends a request every 100 ms, each over a connection of its own, and counts requests
 * without a response, from the first response on.
 */
export class CountedRequests {
  readonly #clock: Clock;
  readonly #counts = new Map<CountedService, { sent: number; lost: number }>();
  readonly #open = new Set<Socket>();
  #alarm: Alarm | undefined;

  /** @param clock this machine's clock */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(services: readonly CountedService[]): void {
    if (services.length === 0) return;
    for (const service of services) inBackground(this.#ask(service));
    this.#alarm = this.#clock.wakeAt(this.#clock.now().monotonicMs + EVERY_MS, () => this.begin(services));
  }

  /**
   * Returns the counts, once. Requests on their way do not count.
   * @param isOurs false for a Service at whose address another program responds
   */
  close(isOurs: (service: CountedService) => boolean): RequestCount[] {
    this.#alarm?.cancel();
    const ours = [...this.#counts].filter(([service]) => isOurs(service));
    const counts = ours.map(([{ name }, count]) => ({ service: name, ...count }));
    this.#counts.clear();
    for (const socket of this.#open) socket.destroy();
    return counts;
  }

  async #ask(service: CountedService): Promise<void> {
    const count = this.#counts.get(service);
    const hasResponded = await this.#responds(service);
    if (count !== undefined) count.sent++;
    if (count !== undefined && !hasResponded) count.lost++;
    if (hasResponded && !this.#counts.has(service)) this.#counts.set(service, { sent: 0, lost: 0 });
  }

  /** True for a response in any protocol, except an error of an HTTP server. */
  #responds({ host, port }: CountedService): Promise<boolean> {
    return new Promise((resolve) => {
      const socket = guarded(connect({ host, port }));
      const end = (hasResponded: boolean): void => {
        alarm.cancel();
        this.#open.delete(socket);
        socket.destroy();
        resolve(hasResponded);
      };
      const alarm = this.#clock.wakeAt(this.#clock.now().monotonicMs + PATIENCE_MS, () => end(false));
      this.#open.add(socket);
      const lines = ['GET / HTTP/1.1', `Host: ${host}:${port}`, 'User-Agent: podrun', 'Connection: close', '', ''];
      socket.write(lines.join('\r\n'));
      socket.on('data', (chunk) => end(!/^HTTP\/1\.\d 5/.test(chunk.toString('latin1'))));
      socket.on('error', () => end(false)).on('close', () => end(false));
    });
  }
}
