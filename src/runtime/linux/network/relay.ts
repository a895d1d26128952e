import type { Socket } from 'node:net';
import { execa } from 'execa';
import { STARTED_APART } from '../../helpers/helper.ts';
import type { ProgramCall } from '../../inside.ts';
import { inNetwork, type NetworkJoin } from './join.ts';

/** The address in the network of a Pod. */
export interface DialTarget {
  readonly host: string;
  readonly port: number;
}

/** Connects to a port in the network of a Pod. Undefined: a normal connection reaches the port. */
export type Dial = (target: DialTarget, signal: AbortSignal) => Promise<Socket> | undefined;

interface Answer {
  readonly id: number;
  /** Node's error for a failed connection. */
  readonly error?: { readonly message: string };
}

interface Waiting {
  readonly resolve: (socket: Socket) => void;
  readonly reject: (error: unknown) => void;
}

/*
 * The program of the relay process: connects to an address, and passes the connection on without reading from it, so
 * that the first bytes of the other side reach its user. Ends with podrun.
 */
const PROGRAM = `
const { connect } = require('node:net');
process.on('disconnect', () => process.exit());
process.on('message', ({ id, host, port }) => {
  const socket = connect({ host, port });
  socket.pause();
  const failed = (error) => process.send({ id, error: { ...error, message: error.message } });
  socket.once('error', failed);
  socket.once('connect', () => {
    socket.off('error', failed).on('error', () => undefined);
    process.send({ id }, socket);
  });
});`;

const startRelay = ({ file, argv, env }: ProgramCall) =>
  execa(file, argv.slice(1), { ...STARTED_APART, env, stdio: 'ignore', ipc: true });

type RelayProcess = ReturnType<typeof startRelay>;

/** Connects to ports in a private network. Starts a process (40 MB) with the first connection. */
export class NetworkRelay {
  readonly #join: NetworkJoin;
  readonly #waiting = new Map<number, Waiting>();
  #child: RelayProcess | undefined;
  #lastId = 0;

  constructor(join: NetworkJoin) {
    this.#join = join;
  }

  /**
   * Resolves with an open connection, of which nothing was read. Rejects with the error of a normal connection, or when
   * the signal is aborted.
   */
  dial({ host, port }: DialTarget, signal?: AbortSignal): Promise<Socket> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) return reject(new Error('aborted'));
      const id = ++this.#lastId;
      const settle = (): void => {
        this.#waiting.delete(id);
        signal?.removeEventListener('abort', onAbort);
      };
      const onAbort = (): void => {
        settle();
        reject(new Error('aborted'));
      };
      signal?.addEventListener('abort', onAbort);
      this.#waiting.set(id, {
        resolve: (socket) => {
          settle();
          resolve(socket);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      this.#running().send({ id, host, port }, (error: Error | null) => {
        if (error !== null) this.#waiting.get(id)?.reject(error);
      });
    });
  }

  close(): void {
    const child = this.#child;
    this.#child = undefined;
    if (child?.connected === true) child.disconnect();
    this.#giveUp(new Error('the private network was removed'));
  }

  #running(): RelayProcess {
    this.#child ??= this.#start();
    return this.#child;
  }

  #start(): RelayProcess {
    const program: ProgramCall = { file: process.execPath, argv: ['node', '-e', PROGRAM], env: {}, cwd: '/' };
    const child = startRelay(inNetwork(this.#join, program));
    child.on('message', (answer, socket) => this.#answered(answer as Answer, socket as Socket | undefined));
    const onEnd = (error: unknown): void => {
      // The next connection starts another one.
      if (this.#child === child) this.#child = undefined;
      this.#giveUp(error);
    };
    void child.then(({ cause }) => onEnd(cause ?? new Error('the process in the network has ended')));
    // A waiting caller keeps podrun running. The relay does not.
    child.unref();
    child.channel?.unref();
    return child;
  }

  #answered({ id, error }: Answer, socket: Socket | undefined): void {
    const waiting = this.#waiting.get(id);
    // The caller has given up.
    if (waiting === undefined) return void socket?.destroy();
    if (socket !== undefined) return waiting.resolve(socket);
    waiting.reject(Object.assign(new Error(error?.message ?? 'no connection'), error));
  }

  #giveUp(error: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}
