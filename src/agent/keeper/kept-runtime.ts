import { connect, type Socket } from 'node:net';
import { PodrunError } from '../../api/errors.ts';
import type { Clock } from '../../clock.ts';
import type { RuntimeFeatures } from '../../runtime/features.ts';
import type {
  Adopted,
  ContainerLaunch,
  ExecLaunch,
  ExecOutcome,
  ExecRequest,
  ExecStart,
  Runtime,
  StartOutcome,
} from '../../runtime/runtime.ts';
import { socketAddress } from '../attach/socket-address.ts';
import { commandProxy, containerProxy, type KeeperLine } from './process-proxies.ts';
import {
  encodeFrame,
  type Frame,
  FrameReader,
  type FromKeeper,
  KEEPER_VERSION,
  type KeptContainer,
  type LogPlace,
  type ToKeeper,
  type ToldExit,
} from './protocol.ts';

export interface KeptRuntimeOptions {
  readonly clock: Clock;
  readonly socket: string;
  readonly features: RuntimeFeatures | undefined;
  /**
   * Starts a keeper that listens at the socket; resolves when it does.
   * @throws {PodrunError} when it cannot
   */
  readonly startKeeper: () => Promise<void>;
  readonly logPlaceOf: (id: string) => LogPlace;
  /** Ends what a keeper that was killed has left of these containers. Never rejects. */
  readonly endRemains: (ids: readonly string[]) => Promise<void>;
  readonly onTrouble: (message: string) => void;
}

/** What is to be told of a container. */
export type ContainerListeners = Pick<ContainerLaunch, 'onOutput' | 'onExit'>;

interface Live extends ContainerListeners {
  readonly swept: Promise<void>;
  readonly onSwept: () => void;
  hasExited: boolean;
}

/** A command that somebody sees and types into. */
interface Session extends Pick<ExecLaunch, 'onOutput' | 'onExit'> {
  readonly started: (outcome: ExecStart) => void;
}

interface Command {
  readonly onOutput: ExecRequest['onOutput'];
  readonly done: (outcome: ExecOutcome) => void;
}

const SIGKILLED = { exitCode: 137, signal: 'SIGKILL', oomKilled: false };
const KEEPER_GONE = 'the keeper of the containers has ended';

/**
 * A runtime in another process, which outlives this one: see Keeper. What it keeps when this process begins can be
 * adopted; when it is killed, its containers are, and the next start brings another one.
 */
export class KeptRuntime implements Runtime {
  readonly features: RuntimeFeatures | undefined;
  readonly #options: KeptRuntimeOptions;
  readonly #live = new Map<string, Live>();
  readonly #starts = new Map<string, (outcome: StartOutcome) => void>();
  readonly #commands = new Map<number, Command>();
  readonly #sessions = new Map<number, Session>();
  /** Who waits for an answer. */
  readonly #pieces = new Map<number, (answer: boolean) => void>();
  readonly #line: KeeperLine = {
    send: (message) => this.#send(message),
    ask: (question, chunk) => this.#ask(question, chunk),
  };
  #numbers = 0;
  #socket: Promise<Socket> | undefined;
  #connected: Socket | undefined;
  /** What was there when this process began, by ID. */
  readonly #kept = new Map<string, KeptContainer>();
  #isClosing = false;

  constructor(options: KeptRuntimeOptions) {
    this.#options = options;
    this.features = options.features;
  }

  /**
   * Finds out what a keeper has, if there is one: undefined when there is none.
   * @throws {PodrunError} when it speaks another language
   */
  async findKept(): Promise<readonly KeptContainer[] | undefined> {
    const socket = await this.#connect();
    if (socket === undefined) return undefined;
    this.#socket = Promise.resolve(socket);
    return [...this.#kept.values()];
  }

  adopt(id: string, listeners: ContainerListeners): Adopted | undefined {
    const kept = this.#kept.get(id);
    if (kept === undefined) return undefined;
    const { launch, running, exit, isSwept } = kept;
    this.#listen(id, listeners);
    if (exit !== undefined) setImmediate(() => this.#exited(id, exit));
    if (isSwept) this.#swept(id);
    return { container: containerProxy(this.#line, id, running), launch };
  }

  async start(launch: ContainerLaunch): Promise<StartOutcome> {
    const { onOutput, onExit, ...told } = launch;
    const { id } = launch;
    const failed = (error: string): StartOutcome => ({ ok: false, error, at: this.#options.clock.now() });
    try {
      await this.#reach();
    } catch (error) {
      return failed(error instanceof Error ? error.message : String(error));
    }
    return new Promise((resolve) => {
      this.#starts.set(id, (outcome) => {
        if (!outcome.ok) this.#live.delete(id);
        resolve(outcome);
      });
      this.#listen(id, { onOutput, onExit });
      this.#send({ type: 'start', launch: told, log: this.#options.logPlaceOf(id) });
    });
  }

  async exec({ onOutput, signal, ...request }: ExecRequest): Promise<ExecOutcome> {
    if (signal?.aborted === true) return { type: 'aborted' };
    if (this.#connected === undefined) return { type: 'failedToStart', error: KEEPER_GONE };
    const command = ++this.#numbers;
    const abort = (): void => this.#send({ type: 'abort', command });
    signal?.addEventListener('abort', abort, { once: true });
    const outcome = await new Promise<ExecOutcome>((resolve) => {
      this.#commands.set(command, { onOutput, done: resolve });
      this.#send({ type: 'exec', command, request, wantsOutput: onOutput !== undefined });
    });
    signal?.removeEventListener('abort', abort);
    this.#commands.delete(command);
    return outcome;
  }

  async startExec({ onOutput, onExit, ...launch }: ExecLaunch): Promise<ExecStart> {
    if (this.#connected === undefined) return { ok: false, error: KEEPER_GONE };
    const command = ++this.#numbers;
    return new Promise((resolve) => {
      this.#sessions.set(command, { onOutput, onExit, started: resolve });
      this.#send({ type: 'startExec', command, launch });
    });
  }

  /** What is on record of containers whose keeper is gone: how they ended. */
  remember(endings: readonly KeptContainer[]): void {
    for (const ending of endings) this.#kept.set(ending.id, { ...ending, isSwept: true });
  }

  /** The Pod of that uid is over, or its place may be another's. */
  forget(uid: string): void {
    this.#send({ type: 'forget', uid });
  }

  /** Nothing more will come. Resolves when the keeper has ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const socket = this.#connected;
    if (socket === undefined) return;
    const closed = new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
    });
    this.#send({ type: 'end' });
    await closed;
  }

  /** The keeper, started if there is none. */
  async #reach(): Promise<void> {
    this.#socket ??= this.#startKeeper();
    try {
      await this.#socket;
    } catch (error) {
      this.#socket = undefined;
      throw error;
    }
  }

  async #startKeeper(): Promise<Socket> {
    await this.#options.startKeeper();
    const socket = await this.#connect();
    if (socket === undefined) throw new PodrunError(KEEPER_GONE);
    return socket;
  }

  /** Undefined: nobody listens there. Resolves when the keeper has said what it has. */
  #connect(): Promise<Socket | undefined> {
    return new Promise((resolve, reject) => {
      let address;
      try {
        address = socketAddress(this.#options.socket);
      } catch (error) {
        reject(error);
        return;
      }
      const { release } = address;
      const socket = connect(address.address);
      const reader = new FrameReader<FromKeeper>();
      const take = (frame: Frame<FromKeeper>): void => {
        if (frame.message.type !== 'hello') return this.#take(frame);
        const { version, containers } = frame.message;
        if (version !== KEEPER_VERSION) {
          reject(new PodrunError(`the containers are kept by another version of podrun (protocol ${version})`));
          socket.destroy();
          return;
        }
        for (const container of containers) this.#kept.set(container.id, container);
        this.#connected = socket;
        resolve(socket);
      };
      socket.on('data', (piece) => {
        for (const frame of reader.read(piece)) take(frame);
      });
      socket.on('error', () => undefined);
      // Either it connects, or it fails to.
      let isReleased = false;
      const letGo = (): void => {
        if (!isReleased) release();
        isReleased = true;
      };
      socket.once('connect', letGo);
      socket.once('close', () => {
        letGo();
        resolve(undefined);
        if (this.#connected === socket) void this.#lost();
      });
    });
  }

  #take({ message, chunk }: Frame<FromKeeper>): void {
    switch (message.type) {
      case 'hello':
        return;
      case 'started':
        return this.#started(message);
      case 'output':
        return this.#output(message, chunk);
      case 'exited':
        // Not before `start` has resolved.
        return void setImmediate(() => this.#exited(message.container, message.exit));
      case 'swept':
        return this.#swept(message.container);
      case 'inputTaken':
        return this.#pieces.get(message.piece)?.(true);
      case 'signalled':
        return this.#pieces.get(message.piece)?.(message.isUnheard);
      case 'execOutcome':
        return this.#commands.get(message.command)?.done(message.outcome);
      case 'execStarted':
        return this.#execStarted(message);
      case 'execExited':
        // Not before `startExec` has resolved.
        return void setImmediate(() => this.#execExited(message.command, message.exitCode));
      case 'trouble':
        return this.#options.onTrouble(message.message);
      default:
        // Of a later version.
        message satisfies never;
    }
  }

  #started({ container: id, outcome }: Extract<FromKeeper, { type: 'started' }>): void {
    const done = this.#starts.get(id);
    this.#starts.delete(id);
    done?.(outcome.ok ? { ...outcome, container: containerProxy(this.#line, id, outcome.container) } : outcome);
  }

  #execStarted({ command, outcome }: Extract<FromKeeper, { type: 'execStarted' }>): void {
    const session = this.#sessions.get(command);
    if (!outcome.ok) this.#sessions.delete(command);
    session?.started(
      outcome.ok ? { ...outcome, command: commandProxy(this.#line, command, outcome.command) } : outcome,
    );
  }

  #execExited(command: number, exitCode: number): void {
    const session = this.#sessions.get(command);
    this.#sessions.delete(command);
    session?.onExit(exitCode);
  }

  #output({ of, stream }: Extract<FromKeeper, { type: 'output' }>, chunk: Buffer): void {
    if ('container' in of) this.#live.get(of.container)?.onOutput(stream, chunk);
    else (this.#commands.get(of.command) ?? this.#sessions.get(of.command))?.onOutput?.(stream, chunk);
  }

  #listen(id: string, listeners: ContainerListeners): Live {
    let onSwept = (): void => undefined;
    const swept = new Promise<void>((resolve) => {
      onSwept = resolve;
    });
    const live: Live = { ...listeners, swept, onSwept, hasExited: false };
    this.#live.set(id, live);
    return live;
  }

  #exited(id: string, exit: ToldExit): void {
    const live = this.#live.get(id);
    const kept = this.#kept.get(id);
    // Between the greeting and the adoption.
    if (live === undefined && kept !== undefined) this.#kept.set(id, { ...kept, exit });
    if (live === undefined || live.hasExited) return;
    live.hasExited = true;
    live.onExit({ ...exit, swept: live.swept });
  }

  #swept(id: string): void {
    const live = this.#live.get(id);
    const kept = this.#kept.get(id);
    if (live === undefined && kept !== undefined) this.#kept.set(id, { ...kept, isSwept: true });
    live?.onSwept();
    // After its exit, which is told in the next lap.
    setImmediate(() => {
      if (this.#live.get(id) === live) this.#live.delete(id);
    });
  }

  /** The keeper was killed: so are the containers, or they are about to be. */
  async #lost(): Promise<void> {
    this.#connected = undefined;
    this.#socket = undefined;
    if (this.#isClosing) return;
    this.#options.onTrouble(`${KEEPER_GONE}; its containers have been killed`);
    for (const done of this.#pieces.values()) done(false);
    for (const { done } of this.#commands.values()) done({ type: 'aborted' });
    for (const { started } of this.#sessions.values()) started({ ok: false, error: KEEPER_GONE });
    for (const command of this.#sessions.keys()) this.#execExited(command, SIGKILLED.exitCode);
    const at = this.#options.clock.now();
    for (const done of this.#starts.values()) done({ ok: false, error: KEEPER_GONE, at });
    this.#starts.clear();
    const lost = [...this.#live];
    await this.#options.endRemains(lost.map(([id]) => id));
    for (const [id, live] of lost) {
      this.#live.delete(id);
      live.onSwept();
      if (!live.hasExited) live.onExit({ ...SIGKILLED, at: this.#options.clock.now(), swept: live.swept });
      live.hasExited = true;
    }
  }

  #ask(question: (piece: number) => ToKeeper, chunk?: Buffer): Promise<boolean> {
    if (this.#connected === undefined) return Promise.resolve(false);
    const piece = ++this.#numbers;
    return new Promise((resolve) => {
      this.#pieces.set(piece, (answer) => {
        this.#pieces.delete(piece);
        resolve(answer);
      });
      this.#send(question(piece), chunk);
    });
  }

  #send(message: ToKeeper, chunk?: Buffer): void {
    this.#connected?.write(encodeFrame(message, chunk));
  }
}
