import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https';
import type { Socket } from 'node:net';
import { createSecureContext, type SecureContext } from 'node:tls';
import { guarded } from '../../defects.ts';
import { type DialEndpoint, forward, forwardUpgrade } from './forward.ts';
import { type OpenConnections, openConnections } from '../base/connections.ts';
import { type IngressRoute, takesHost } from './routes.ts';

/** A certificate and its private key, as PEM, and the hosts that have it. No host: all. */
export interface IngressCertificate {
  readonly hosts: readonly string[];
  readonly cert: string;
  readonly key: string;
  readonly context: SecureContext;
}

/** @throws {Error} when the certificate or the key is no valid PEM, or they do not belong together */
export function openCertificate(hosts: readonly string[], cert: string, key: string): IngressCertificate {
  return { hosts, cert, key, context: createSecureContext({ cert, key }) };
}

/** One of the two ports of an Ingress server. */
export interface IngressPort {
  readonly port: number;
  /** True: when the port is taken, the next free one serves. */
  readonly mayMove: boolean;
}

const LOCALHOST = '127.0.0.1';
/** The ports that are tried after one that is taken. */
const TRIED_MAX = 100;

/** Serves HTTP and HTTPS on 127.0.0.1 by the rules of Ingresses. */
export class IngressServer {
  readonly #dial: DialEndpoint;
  #routes: readonly IngressRoute[] = [];
  #certificates: readonly IngressCertificate[] = [];
  readonly #servers: { readonly server: Server; readonly connections: OpenConnections }[] = [];
  #secure: SecureServer | undefined;

  constructor(dial: DialEndpoint) {
    this.#dial = dial;
  }

  /** Takes new rules. Open requests continue. */
  update(routes: readonly IngressRoute[]): void {
    this.#routes = routes;
  }

  /** Takes other certificates. The first one is also for clients that name no host. */
  useCertificates(certificates: readonly IngressCertificate[]): void {
    this.#certificates = certificates;
    const [first] = certificates;
    if (first !== undefined) this.#secure?.setSecureContext({ cert: first.cert, key: first.key });
  }

  /**
   * Listens for HTTP, or for HTTPS. Returns the port.
   * @throws {Error} (EADDRINUSE, EACCES) when it cannot listen on any port
   */
  async listen(scheme: 'http' | 'https', { port, mayMove }: IngressPort): Promise<number> {
    const last = mayMove ? Math.min(port + TRIED_MAX, 65_535) : port;
    for (let tried = port; ; tried++) {
      const server = scheme === 'http' ? guarded(createServer()) : this.#secureServer();
      try {
        await listening(server, tried);
        this.#serve(server);
        return tried;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || tried >= last) throw error;
      }
    }
  }

  close(): void {
    for (const { server, connections } of this.#servers) {
      server.close();
      connections.end();
    }
  }

  #serve(server: Server): void {
    this.#servers.push({ server, connections: openConnections(server) });
    // An upload or a stream may take its time.
    server.requestTimeout = 0;
    // No header is left out: their bytes are bounded.
    server.maxHeadersCount = 0;
    server.on('request', (incoming, outgoing) => {
      forward(incoming, outgoing, this.#routes, this.#dial).catch(() => outgoing.destroy());
    });
    server.on('upgrade', (incoming, client, head) => {
      forwardUpgrade(incoming, client as Socket, head, this.#routes, this.#dial).catch(() => client.destroy());
    });
    server.on('error', () => undefined);
  }

  #secureServer(): Server {
    this.#secure = guarded(
      createSecureServer({
        SNICallback: (name, done) => done(null, this.#certificateFor(name)?.context),
        ALPNProtocols: ['http/1.1'],
      }),
    );
    this.useCertificates(this.#certificates);
    return this.#secure;
  }

  #certificateFor(name: string): IngressCertificate | undefined {
    const all = this.#certificates;
    return (
      all.find(({ hosts }) => hosts.includes(name)) ??
      all.find(({ hosts }) => hosts.length === 0 || hosts.some((host) => takesHost(host, name))) ??
      all[0]
    );
  }
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: LOCALHOST, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
