import type { PolicyGroup } from '../../controllers/index.ts';
import type { Socket as DatagramSocket } from 'node:dgram';
import { Server, type Socket } from 'node:net';
import { inBackground } from '../../defects.ts';
import { killGroup, type NetworkJoin } from '../../runtime/index.ts';
import type { ListenTrouble } from '../proxy/service-proxy.ts';
import { hasSocket, listenerKey, type ProxiedProtocol, type ServiceListener } from '../base/service-listener.ts';
import { ROUTER } from './cluster-commands.ts';
import { dialServer } from '../dns/forwarder.ts';
import type { DialTarget, HelperAnswer, HelperDial } from './helper/protocol.ts';
import { bind, closeHandle, type Handle, type HostAddress, listen } from './host-sockets.ts';
import { type HelperReply, PendingRequests, type NewRequest } from './pending-requests.ts';
import { type HelperChild, type HelperFate, startHelper } from './start-helper.ts';

/** Connects to a port in the network of a Pod. Undefined: a normal connection reaches the port. */
export type Dial = (target: DialTarget, signal: AbortSignal) => Promise<Socket> | undefined;

/** A port of this machine that leads into the network. */
export interface ServedPort {
  readonly id: number;
  readonly protocol: ProxiedProtocol;
  /** In a network: the one of a node, which is none of the helper. Default: on this machine. */
  readonly at: HostAddress & { readonly network?: NetworkJoin };
  readonly target: DialTarget;
  /** Called when a helper has died, and the next one cannot serve the port. */
  readonly onLost: (error: Error) => void;
}

/** Listens in a network that has no helper. @throws {Error} as NetworkHelper.listen */
async function listenIn(network: NetworkJoin, { address, port }: HostAddress): Promise<Server> {
  const helper = new NetworkHelper(network);
  try {
    return await helper.listen({ host: address, port });
  } finally {
    helper.close();
  }
}

/** The number of helpers, one after the other, that may die without a word before podrun starts no other by itself. */
const SILENT_MAX = 5;

/**
 * podrun's helper in a private network: a process (40 MB) that the first request starts. When it dies, the next request
 * starts another one; for ports that it served, podrun does so at once.
 */
export class NetworkHelper {
  readonly #join: NetworkJoin;
  readonly #afterwards: HelperFate | undefined;
  readonly #pending = new PendingRequests();
  readonly #served = new Map<number, ServedPort>();
  /** The Services that the helper serves. */
  #services: readonly ServiceListener[] = [];
  /** The policies by which it judges connections of Services, and the helper that knows them. */
  #policies: readonly PolicyGroup[] = [];
  #restricted: HelperChild | undefined;
  /** The keys of those for which the helper has a socket of this machine. */
  #adopted = new Set<string>();
  #child: HelperChild | undefined;
  #handed: Promise<void> = Promise.resolve();
  /** Calls for each new helper that takes the place of a dead one. */
  readonly #restarts: (() => Promise<void>)[] = [];
  /** The helpers, one after the other, that have died without a word. */
  #silent = 0;

  /**
   * @param afterwards undefined: it ends by itself
   */
  constructor(join: NetworkJoin, afterwards?: HelperFate) {
    this.#join = join;
    this.#afterwards = afterwards;
  }

  /**
   * Resolves with an open connection, of which nothing was read. Rejects with the error of a normal connection, or when
   * the signal is aborted.
   */
  async dial({ host, port }: DialTarget, signal?: AbortSignal): Promise<Socket> {
    const { socket } = await this.#ask({ type: 'dial', host, port }, { signal });
    if (socket === undefined || socket instanceof Server) throw new Error('the helper responded without a connection');
    return socket;
  }

  /**
   * Listens in the network. The socket needs the helper no more.
   * @throws {Error} (EADDRINUSE, …) when the port cannot be listened on
   */
  async listen({ host, port }: DialTarget): Promise<Server> {
    const { socket } = await this.#ask({ type: 'listen', host, port });
    if (!(socket instanceof Server)) throw new Error('the helper responded without a listening socket');
    return socket;
  }

  /**
   * Leads a port of this machine to a port of the network: listens here, and gives the socket to the helper. From then
   * on the bytes do not pass podrun.
   * @throws {Error} (EADDRINUSE, EACCES, …) when the port cannot be listened on
   */
  async serve(port: Omit<ServedPort, 'id'>): Promise<ServedPort> {
    const served = { ...port, id: this.#pending.nextId() };
    await this.#handOver(served);
    this.#served.set(served.id, served);
    return served;
  }

  /** Stops listening on a port. Its open connections continue. */
  async stop({ id }: ServedPort): Promise<void> {
    this.#served.delete(id);
    if (this.#child !== undefined) await this.#ask({ type: 'stop', served: id });
  }

  /**
   * Serves Services: on sockets of the network, and on sockets of this machine, which are made here and given to the
   * helper. A Service without endpoints has no socket.
   * @param policies the policies by which new connections are judged. Default: as before
   * @returns the listeners that cannot listen. The next update tries them again
   */
  update(
    services: readonly ServiceListener[],
    policies: readonly PolicyGroup[] = this.#policies,
  ): Promise<ListenTrouble[]> {
    this.#services = services;
    if (policies !== this.#policies) this.#restricted = undefined;
    this.#policies = policies;
    return this.#inTurn(() => this.#serveServices(services));
  }

  async #serveServices(services: readonly ServiceListener[]): Promise<ListenTrouble[]> {
    const child = this.#running();
    const policies = this.#restricted === child ? undefined : { groups: this.#policies, nodes: [ROUTER] };
    this.#restricted = child;
    const answer = await this.#ask({ type: 'services', listeners: services, policies });
    const wanted = services.filter((listener) => listener.network === 'machine' && hasSocket(listener));
    const before = this.#adopted;
    this.#adopted = new Set();
    const troubles = [...(answer.troubles ?? [])];
    for (const listener of wanted) {
      const key = listenerKey(listener);
      try {
        if (!before.has(key)) {
          const socket = await (listener.protocol === 'TCP' ? listen(listener) : bind(listener));
          await this.#ask({ type: 'adopt', key }, { socket });
        }
        this.#adopted.add(key);
      } catch (error) {
        troubles.push({ listener, error: error as NodeJS.ErrnoException });
      }
    }
    return troubles;
  }

  /**
   * Sends a request, with a socket that is closed here. Rejects with the error in the helper's reply, or when the
   * helper has ended before its turn.
   */
  async request(request: NewRequest, socket?: DatagramSocket): Promise<void> {
    await (socket === undefined ? this.#ask(request) : this.#askInTurn(request, socket));
  }

  /** Calls `begin` whenever a helper has died: another one is needed at once. */
  onRestart(begin: () => Promise<void>): void {
    this.#restarts.push(begin);
  }

  /** Ends the helper unless it serves something. The next request starts another one. */
  rest(): void {
    if (this.#served.size === 0 && this.#services.length === 0 && this.#pending.areNone) this.close();
  }

  close(): void {
    const child = this.#child;
    this.#child = undefined;
    this.#served.clear();
    this.#services = [];
    this.#restarts.length = 0;
    if (this.#afterwards?.type !== 'outlivesPodrun') child?.stdin?.end();
    else if (child?.pid !== undefined) killGroup(child.pid);
    this.#pending.giveUp(new Error('the private network was removed'));
  }

  #handOver({ id, protocol, at, target }: ServedPort): Promise<void> {
    return this.#inTurn(async () => {
      const socket = await (protocol === 'UDP' ? bind(at) : at.network ? listenIn(at.network, at) : listen(at));
      await this.#ask({ id, type: 'serve', ...target }, { socket });
    });
  }

  /**
   * Sockets go to the helper one after the other: Node would keep a second one here until the first is received. One
   * that listens would accept connections here meanwhile, to which nothing responds.
   */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#handed.then(work);
    this.#handed = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  #askInTurn(request: NewRequest, socket: Exclude<Handle, Server> | undefined): Promise<HelperReply> {
    const child = this.#running();
    return this.#inTurn(() => {
      if (this.#child === child) return this.#ask(request, { socket });
      if (socket !== undefined) closeHandle(socket);
      return Promise.reject(new Error('the process in the network has ended'));
    });
  }

  async #ask(
    request: NewRequest & { readonly id?: number },
    about: { readonly socket?: Handle | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<HelperReply> {
    return this.#pending.send(this.#running(), { id: this.#pending.nextId(), ...request }, about);
  }

  #running(): HelperChild {
    this.#child ??= this.#start();
    return this.#child;
  }

  #start(): HelperChild {
    const child = startHelper(this.#join, this.#afterwards);
    child.on('message', (answer, socket) =>
      this.#takeMessage(answer as HelperAnswer | HelperDial, socket as Socket | Server | undefined),
    );
    child.once('exit', () => this.#ended(child, new Error('the process in the network has ended')));
    // It did not start, or a message did not reach it.
    child.on('error', (error) => this.#ended(child, error));
    return child;
  }

  /**
   * Starts another helper if ports are to be served: connections to them would be refused. When one after the other
   * cannot start, only the next request tries again.
   */
  #ended(child: HelperChild, error: Error): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#pending.giveUp(error);
    this.#adopted.clear();
    this.#silent += 1;
    if (this.#silent > SILENT_MAX) return this.#served.forEach((served) => this.#lose(served, error));
    for (const begin of this.#restarts) begin().catch(() => undefined);
    // A port that another program has taken meanwhile is tried again with the next change of a Service.
    if (this.#services.length > 0) this.update(this.#services).catch(() => undefined);
    for (const served of this.#served.values())
      this.#handOver(served).catch((why: NodeJS.ErrnoException) => {
        // Otherwise this helper has died as well, and the next one gets the port.
        if (why.syscall === 'listen' || why.syscall === 'bind') this.#lose(served, why);
      });
  }

  #lose(served: ServedPort, why: Error): void {
    this.#served.delete(served.id);
    served.onLost(why);
  }

  #takeMessage(message: HelperAnswer | HelperDial, socket: Socket | Server | undefined): void {
    this.#silent = 0;
    if ('dial' in message) return inBackground(this.#dialFor(message));
    this.#pending.take(message, socket);
  }

  /** Opens a connection of this machine for the helper. */
  async #dialFor({ dial, server }: HelperDial): Promise<void> {
    const socket = await dialServer(server).catch(() => undefined);
    // A helper that has died asks no more.
    await this.#askInTurn({ type: 'dialed', dial }, socket).catch(() => undefined);
  }
}
