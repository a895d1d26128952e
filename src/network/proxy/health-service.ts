import type { Server as HttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { guarded, inBackground } from '../../defects.ts';
import type { ServiceHealth } from '../base/service-listener.ts';

const [HEALTHY, UNHEALTHY] = [200, 503];

/** The default of `idleMs`. */
const IDLE_MS = 30_000;

/**
 * Responds to the load balancers that ask whether this node has endpoints of a Service, whatever the path.
 * Source: pkg/proxy/healthcheck/service_health.go.
 */
export class HealthService {
  readonly #server: Server;
  #health: ServiceHealth;
  readonly #connections = new Set<Socket>();
  /** Loaded with the first connection: most runs have none. */
  #http: Promise<HttpServer> | undefined;

  readonly #idleMs: number;

  private constructor(server: Server, health: ServiceHealth, idleMs: number) {
    this.#server = server;
    this.#idleMs = idleMs;
    this.#health = health;
    server.on('connection', (client: Socket) => {
      this.#connections.add(client);
      client.on('error', () => undefined);
      client.once('close', () => this.#connections.delete(client));
      this.#http ??= this.#open();
      inBackground(this.#http.then((http) => http.emit('connection', client)));
    });
  }

  /**
   * @param idleMs the time without a byte after which a connection ends
   * @throws {Error} (EADDRINUSE, EACCES, EADDRNOTAVAIL) when the address cannot be listened on
   */
  static open(address: string, port: number, health: ServiceHealth, idleMs: number = IDLE_MS): Promise<HealthService> {
    const server = guarded(createServer());
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: address, port }, () => {
        server.off('error', reject).on('error', () => undefined);
        resolve(new HealthService(server, health, idleMs));
      });
    });
  }

  /** Takes over a listening socket that another process has made. */
  static adopt(server: Server, health: ServiceHealth): HealthService {
    return new HealthService(server, health, IDLE_MS);
  }

  /** Says this from the next request on. */
  update(health: ServiceHealth): void {
    this.#health = health;
  }

  /** Ends the open connections, too. */
  close(): void {
    this.#server.close();
    for (const connection of this.#connections) connection.destroy();
  }

  async #open(): Promise<HttpServer> {
    const { createServer: createHttpServer } = await import('node:http');
    const http = guarded(
      createHttpServer((_request, response) => {
        const { localEndpoints, ...service } = this.#health;
        const text = JSON.stringify({ service, localEndpoints, serviceProxyHealthy: true }, undefined, '\t');
        response.writeHead(localEndpoints > 0 ? HEALTHY : UNHEALTHY, {
          'Content-Type': 'application/json',
          'X-Content-Type-Options': 'nosniff',
          'X-Load-Balancing-Endpoint-Weight': String(localEndpoints),
          'Content-Length': Buffer.byteLength(text),
          Connection: 'close',
        });
        response.end(text);
      }),
    );
    // Its other limits hold for connections that it has accepted itself.
    http.timeout = this.#idleMs;
    return http;
  }
}
