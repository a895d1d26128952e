import { createServer, isIPv4, isIPv6, type Server, type Socket } from 'node:net';
import { guarded } from '../../defects.ts';
import { PodrunError, usage } from '../../api/index.ts';
import type { ForwardedPort } from '../../lifecycle/index.ts';

/** An address to listen at. localhost has two addresses: one of them is enough. */
export interface ListenAddress {
  readonly host: string;
  readonly mayFail: boolean;
}

/** A server that listens on a port. */
interface Listening {
  readonly server: Server;
  readonly host: string;
  readonly local: number;
}

export interface PortListeners {
  /** The listeners: an address such as `127.0.0.1:8080`, and the port of the Pod. */
  readonly listening: ReadonlyArray<{ readonly at: string; readonly remote: number }>;
  close(): void;
}

export interface ListenRequest {
  readonly ports: readonly ForwardedPort[];
  readonly addresses: readonly ListenAddress[];
  readonly onConnection: (socket: Socket, port: ForwardedPort) => void;
  /** Called for a port that cannot be opened while other ports can. */
  readonly onTrouble: (text: string) => void;
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EADDRINUSE: 'address already in use',
  EADDRNOTAVAIL: 'cannot assign requested address',
};

/**
 * Parses a list of addresses such as `localhost,10.0.0.5`.
 * @throws {PodrunError} (usage) in kubectl's words
 */
export function listenAddresses(text: string): ListenAddress[] {
  const addresses = new Map<string, ListenAddress>();
  for (const word of text.split(',')) {
    if (word === 'localhost') {
      for (const host of ['127.0.0.1', '::1']) if (!addresses.has(host)) addresses.set(host, { host, mayFail: true });
    } else if (isIPv4(word) || isIPv6(word)) addresses.set(word, { host: word, mayFail: false });
    else throw usage(`${word} is not a valid IP`);
  }
  return [...addresses.values()];
}

/**
 * Listens on all ports at all addresses.
 * @throws {PodrunError} in kubectl's words, when no port can be opened. Source: client-go portforward.go.
 */
export async function listenOnPorts({
  ports,
  addresses,
  onConnection,
  onTrouble,
}: ListenRequest): Promise<PortListeners> {
  const all: Listening[] = [];
  const listening: Array<PortListeners['listening'][number]> = [];
  for (const { local, remote } of ports) {
    const bound = await listenOnPort(local, addresses, (socket, actual) =>
      onConnection(socket, { local: actual, remote }),
    );
    all.push(...bound.listening);
    listening.push(...bound.listening.map((bind) => ({ at: joinHostPort(bind.host, bind.local), remote })));
    if (bound.error !== undefined) onTrouble(`Unable to listen on port ${local}: ${bound.error}`);
  }
  if (all.length === 0) {
    const wanted = ports.map(({ local, remote }) => `{${local} ${remote}}`).join(' ');
    throw new PodrunError('Unreachable', `unable to listen on any of the requested ports: [${wanted}]`);
  }
  return { listening, close: () => all.forEach(({ server }) => server.close()) };
}

async function listenOnPort(
  wanted: number,
  addresses: readonly ListenAddress[],
  onConnection: (socket: Socket, local: number) => void,
): Promise<{ readonly listening: readonly Listening[]; readonly error: string | undefined }> {
  const listening: Listening[] = [];
  const errors: string[] = [];
  let isEnough = true;
  let local = wanted;
  for (const { host, mayFail } of addresses) {
    try {
      const server = await listen(host, local, onConnection);
      // The system chose the port for the first address: the other addresses use the same one.
      local = portOf(server);
      listening.push({ server, host, local });
    } catch (error) {
      errors.push(listenError(error, host, local));
      if (!mayFail) isEnough = false;
    }
  }
  if (isEnough && listening.length > 0) return { listening, error: undefined };
  for (const { server } of listening) server.close();
  return { listening: [], error: `Listeners failed to create with the following errors: [${errors.join(' ')}]` };
}

function listen(host: string, port: number, onConnection: (socket: Socket, local: number) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = guarded(createServer({ allowHalfOpen: true }, (socket) => onConnection(socket, portOf(server))));
    server.once('error', reject);
    server.listen({ host, port, ipv6Only: isIPv6(host) }, () => {
      server.off('error', reject);
      // An error such as too many open files must not end the connections.
      server.on('error', () => undefined);
      resolve(server);
    });
  });
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** The error in Go's words. */
function listenError(error: unknown, host: string, port: number): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  const network = isIPv6(host) ? 'tcp6' : 'tcp4';
  const why = `listen ${network} ${joinHostPort(host, port)}: bind: ${WORDS[code] ?? message}`;
  return `unable to create listener: Error ${why}`;
}

function joinHostPort(host: string, port: number): string {
  return isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`;
}
