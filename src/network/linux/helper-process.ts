import type { Socket as DatagramSocket } from 'node:dgram';
import { Server, type Socket } from 'node:net';
import path from 'node:path';
import { execa } from 'execa';
import { guardedProcess, inBackground } from '../../defects.ts';
import {
  inNetwork,
  killGroup,
  type NetworkJoin,
  type ProgramCall,
  startable,
  STARTED_APART,
} from '../../runtime/index.ts';
import { argumentsToRun } from '../../build-file.ts';
import type { ListenTrouble } from '../proxy/service-proxy.ts';
import { listenerKey, type ProxiedProtocol, type ServiceListener } from '../base/service-listener.ts';
import { dialServer } from '../dns/forwarder.ts';
import {
  type DialTarget,
  type HelperAnswer,
  type HelperDial,
  type HelperRequest,
  RECORDED,
} from './helper/protocol.ts';
import { bind, closeHandle, type Handle, type HostAddress, listen } from './host-sockets.ts';
import { networkMark } from './mark.ts';

/** Set by the build: the path of the helper's program, from the file with this code. */
declare const NETWORK_HELPER: string;

/** Connects to a port in the network of a Pod. Undefined: a normal connection reaches the port. */
export type Dial = (target: DialTarget, signal: AbortSignal) => Promise<Socket> | undefined;

/** A port of this machine that leads into the network. */
export interface ServedPort {
  readonly id: number;
  readonly protocol: ProxiedProtocol;
  readonly at: HostAddress;
  readonly target: DialTarget;
  /** Called when a helper has died, and the next one cannot serve the port. */
  readonly onLost: (error: Error) => void;
}

/** An answer of the helper, and the connection or listening socket that came along. */
interface Answer extends HelperAnswer {
  readonly socket: Socket | Server | undefined;
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

type Request = HelperRequest extends infer Each ? (Each extends unknown ? Omit<Each, 'id'> : never) : never;

/** The fate of a helper after the end of podrun. */
export type HelperAfterwards =
  /** The kernel ends it at once. By itself, it would do so as soon as it gets a processor. */
  | { readonly type: 'ends'; readonly setpriv: string }
  /** The helper keeps serving, and ends when both podrun and the file of its record are gone. */
  | {
      readonly type: 'goesOn';
      /** The state folder. */
      readonly heldFor: string;
      readonly file: string;
      /** The records of the processes that hold and connect the network, which the helper ends without them. */
      readonly shared: readonly string[];
      readonly record: (pid: number) => void;
    };

/** The number of helpers, one after the other, that may die without a word before podrun starts no other by itself. */
const SILENT_MAX = 5;

/** The end of the pipe tells a helper that podrun has ended. */
const startHelper = ({ file, argv, env }: ProgramCall) =>
  guardedProcess(
    execa(startable(file), argv.slice(1), {
      ...STARTED_APART,
      env,
      stdin: 'pipe',
      stdout: 'ignore',
      stderr: 'ignore',
      ipc: true,
    }),
  );

type HelperChild = ReturnType<typeof startHelper>;

/**
 * podrun's helper in a private network: a process (40 MB) that the first request starts. When it dies, the next request
 * starts another one; for ports that it served, podrun does so at once.
 */
export class NetworkHelper {
  readonly #join: NetworkJoin;
  readonly #afterwards: HelperAfterwards | undefined;
  readonly #waiting = new Map<number, Waiting>();
  readonly #served = new Map<number, ServedPort>();
  /** The Services that the helper serves. */
  #services: readonly ServiceListener[] = [];
  /** The keys of those for which the helper has a socket of this machine. */
  #adopted = new Set<string>();
  #child: HelperChild | undefined;
  #handed: Promise<void> = Promise.resolve();
  /** Calls for each new helper that takes the place of a dead one. */
  readonly #restarts: (() => Promise<void>)[] = [];
  #lastId = 0;
  /** The helpers, one after the other, that have died without a word. */
  #silent = 0;

  /**
   * @param afterwards undefined: it ends by itself
   */
  constructor(join: NetworkJoin, afterwards?: HelperAfterwards) {
    this.#join = join;
    this.#afterwards = afterwards;
  }

  /**
   * Resolves with an open connection, of which nothing was read. Rejects with the error of a normal connection, or when
   * the signal is aborted.
   */
  async dial({ host, port }: DialTarget, signal?: AbortSignal): Promise<Socket> {
    const { socket } = await this.#ask(++this.#lastId, { type: 'dial', host, port }, { signal });
    if (socket === undefined || socket instanceof Server) throw new Error('the helper answered without a connection');
    return socket;
  }

  /**
   * Listens in the network. The socket needs the helper no more.
   * @throws {Error} (EADDRINUSE, …) when the port cannot be listened on
   */
  async listen({ host, port }: DialTarget): Promise<Server> {
    const { socket } = await this.#ask(++this.#lastId, { type: 'listen', host, port });
    if (!(socket instanceof Server)) throw new Error('the helper answered without a listening socket');
    return socket;
  }

  /**
   * Leads a port of this machine to a port of the network: listens here, and gives the socket to the helper. From then
   * on the bytes do not pass podrun.
   * @throws {Error} (EADDRINUSE, EACCES, …) when the port cannot be listened on
   */
  async serve(port: Omit<ServedPort, 'id'>): Promise<ServedPort> {
    const served = { ...port, id: ++this.#lastId };
    await this.#handOver(served);
    this.#served.set(served.id, served);
    return served;
  }

  /** Stops listening on a port. Its open connections continue. */
  async stop({ id }: ServedPort): Promise<void> {
    this.#served.delete(id);
    if (this.#child !== undefined) await this.#ask(++this.#lastId, { type: 'stop', served: id });
  }

  /**
   * Serves Services: on sockets of the network, and on sockets of this machine, which are made here and given to the
   * helper. A Service without endpoints has no socket.
   * @returns the listeners that cannot listen. The next update tries them again
   */
  update(services: readonly ServiceListener[]): Promise<ListenTrouble[]> {
    this.#services = services;
    const updated = this.#handed.then(() => this.#serveServices(services));
    this.#handed = updated.then(
      () => undefined,
      () => undefined,
    );
    return updated;
  }

  async #serveServices(services: readonly ServiceListener[]): Promise<ListenTrouble[]> {
    const answer = await this.#ask(++this.#lastId, { type: 'services', listeners: services });
    const wanted = services.filter(({ network, endpoints }) => network === 'machine' && endpoints.length > 0);
    const before = this.#adopted;
    this.#adopted = new Set();
    const troubles = [...(answer.troubles ?? [])];
    for (const listener of wanted) {
      const key = listenerKey(listener);
      try {
        if (!before.has(key)) {
          const socket = await (listener.protocol === 'TCP' ? listen(listener) : bind(listener));
          await this.#ask(++this.#lastId, { type: 'adopt', key }, { socket });
        }
        this.#adopted.add(key);
      } catch (error) {
        troubles.push({ listener, error: error as NodeJS.ErrnoException });
      }
    }
    return troubles;
  }

  /** Sends a request, with a socket that is closed here. Rejects with the error in the helper's reply. */
  async request(request: Request, socket?: DatagramSocket): Promise<void> {
    await this.#ask(++this.#lastId, request, { socket });
  }

  /** Calls `begin` whenever a helper has died: another one is needed at once. */
  onRestart(begin: () => Promise<void>): void {
    this.#restarts.push(begin);
  }

  /** Ends the helper unless it serves something. The next request starts another one. */
  rest(): void {
    if (this.#served.size === 0 && this.#services.length === 0 && this.#waiting.size === 0) this.close();
  }

  close(): void {
    const child = this.#child;
    this.#child = undefined;
    this.#served.clear();
    this.#services = [];
    this.#restarts.length = 0;
    if (this.#afterwards?.type !== 'goesOn') child?.stdin.end();
    else if (child?.pid !== undefined) killGroup(child.pid);
    this.#giveUp(new Error('the private network was removed'));
  }

  /** One after the other: Node would keep a second socket here, and accept connections, until the first is received. */
  #handOver({ id, protocol, at, target }: ServedPort): Promise<void> {
    const handed = this.#handed.then(async () => {
      const socket = await (protocol === 'TCP' ? listen(at) : bind(at));
      await this.#ask(id, { type: 'serve', ...target }, { socket });
    });
    this.#handed = handed.catch(() => undefined);
    return handed;
  }

  #ask(
    id: number,
    request: Request,
    { socket, signal }: { readonly socket?: Handle | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(new Error('aborted'));
      const settle = (): void => {
        this.#waiting.delete(id);
        signal?.removeEventListener('abort', onAbort);
      };
      const onAbort = (): void => {
        settle();
        reject(new Error('aborted'));
      };
      signal?.addEventListener('abort', onAbort);
      let kept = socket;
      const letGo = (): void => {
        if (kept !== undefined) closeHandle(kept);
        kept = undefined;
      };
      this.#waiting.set(id, {
        resolve: (answer) => {
          settle();
          resolve(answer);
        },
        // Node calls no callback for a socket that waited behind another one when the helper died.
        reject: (error) => {
          settle();
          letGo();
          reject(error);
        },
      });
      this.#running().send({ ...request, id }, socket, (error: Error | null) => {
        // The message carries the socket now: it stays open.
        letGo();
        if (error !== null) this.#waiting.get(id)?.reject(error);
      });
    });
  }

  #running(): HelperChild {
    this.#child ??= this.#start();
    return this.#child;
  }

  #start(): HelperChild {
    const program = path.join(path.dirname(import.meta.filename), NETWORK_HELPER);
    const afterwards = this.#afterwards;
    const isRecorded = afterwards?.type === 'goesOn';
    const records = isRecorded ? [afterwards.file, ...afterwards.shared] : [];
    const call: ProgramCall = {
      file: process.execPath,
      argv: ['node', ...argumentsToRun(program), ...records],
      env: networkMark(isRecorded ? afterwards.heldFor : undefined),
      cwd: '/',
    };
    const inside = inNetwork(this.#join, call);
    const child = startHelper(afterwards?.type === 'ends' ? untilDeath(afterwards.setpriv, inside) : inside);
    // The helper may die before podrun closes this pipe.
    child.stdin.on('error', () => undefined);
    if (afterwards?.type === 'goesOn' && child.pid !== undefined) {
      afterwards.record(child.pid);
      // From now on the helper outlives podrun: the next podrun finds it by the record.
      child.stdin.write(RECORDED);
    }
    child.on('message', (answer, socket) =>
      this.#answered(answer as HelperAnswer | HelperDial, socket as Socket | Server | undefined),
    );
    const ended = (cause?: unknown): void =>
      this.#ended(child, cause instanceof Error ? cause : new Error('the process in the network has ended'));
    // The promise alone does not do: Node emits no `disconnect` while a socket is on its way to a dead helper.
    child.once('exit', () => ended());
    inBackground(child.then(({ cause }) => ended(cause)));
    // A waiting caller keeps podrun running. The helper does not.
    child.unref();
    child.channel?.unref();
    return child;
  }

  /**
   * Starts another helper if ports are to be served: connections to them would be refused. When one after the other
   * cannot start, only the next request tries again.
   */
  #ended(child: HelperChild, error: Error): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#giveUp(error);
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

  #answered(message: HelperAnswer | HelperDial, socket: Socket | Server | undefined): void {
    this.#silent = 0;
    if ('dial' in message) return inBackground(this.#dialFor(message));
    const { id, error } = message;
    const waiting = this.#waiting.get(id);
    // The caller has given up.
    if (waiting === undefined) return socket && closeHandle(socket);
    if (error === undefined) return waiting.resolve({ ...message, socket });
    waiting.reject(Object.assign(new Error(error.message), error));
  }

  /** Opens a connection of this machine for the helper. */
  async #dialFor({ dial, server }: HelperDial): Promise<void> {
    const socket = await dialServer(server).catch(() => undefined);
    // A helper that has died asks no more.
    await this.#ask(++this.#lastId, { type: 'dialed', dial }, { socket }).catch(() => undefined);
  }

  #giveUp(error: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}

/** The call of a program that the kernel ends with podrun. */
function untilDeath(setpriv: string, { argv, ...call }: ProgramCall): ProgramCall {
  return { ...call, file: setpriv, argv: [setpriv, '--pdeathsig', 'KILL', ...argv] };
}
