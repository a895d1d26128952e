import { connect, type Socket } from 'node:net';
import { PodrunError } from '../../../api/index.ts';
import { guarded } from '../../../defects.ts';
import { socketAddress } from '../../../kubelet/index.ts';
import type { ExecLaunch, ExecOutcome, ExecRequest, ExecStart, OutputStream } from '../../../runtime/index.ts';
import { commandProxy, type KeeperLine } from './process-proxies.ts';
import {
  encodeKeeperFrame,
  type FromKeeper,
  KEEPER_VERSION,
  type KeeperFrame,
  KeeperFrameReader,
  type ToKeeper,
} from './protocol.ts';

/** The socket of a keeper, and the callbacks for its messages. */
interface KeeperConnectionOptions {
  readonly socket: string;
  /** Called with the first message of the keeper. */
  readonly onGreeting: (greeting: Greeting) => void;
  /** Called with each later message. */
  readonly onFrame: (frame: KeeperFrame<FromKeeper>) => void;
  /** Called when the connection is lost after the greeting. */
  readonly onLost: () => void;
}

/** The first message of a keeper. */
type Greeting = Extract<FromKeeper, { type: 'hello' }>;

/** The agent's end of a keeper's socket. Connects again when a new keeper is started. */
export class KeeperConnection implements KeeperLine {
  readonly #options: KeeperConnectionOptions;
  /** The questions that wait for an answer, by number. */
  readonly #pieces = new Map<number, (answer: boolean) => void>();
  #numbers = 0;
  #connected: Socket | undefined;

  constructor(options: KeeperConnectionOptions) {
    this.#options = options;
  }

  /** True while a keeper is connected and has greeted. */
  get isUp(): boolean {
    return this.#connected !== undefined;
  }

  /** A number for a command or question. */
  nextNumber(): number {
    return ++this.#numbers;
  }

  /**
   * Connects. Resolves with true after the greeting, with false when no keeper listens.
   * @throws {PodrunError} when the keeper has another protocol
   */
  connect(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      let address;
      try {
        address = socketAddress(this.#options.socket);
      } catch (error) {
        reject(error);
        return;
      }
      const { release } = address;
      const socket = guarded(connect(address.address));
      const reader = new KeeperFrameReader<FromKeeper>();
      const take = (frame: KeeperFrame<FromKeeper>): void => {
        if (frame.message.type !== 'hello') return this.#options.onFrame(frame);
        const { version } = frame.message;
        if (version !== KEEPER_VERSION) {
          reject(
            new PodrunError(
              'Unreachable',
              `the keeper process of the containers is of another version of podrun (protocol ${version})`,
            ),
          );
          socket.destroy();
          return;
        }
        this.#options.onGreeting(frame.message);
        this.#connected = socket;
        resolve(true);
      };
      socket.on('data', (piece) => {
        for (const frame of reader.read(piece)) take(frame);
      });
      socket.on('error', () => undefined);
      // Released once: after the connection or its failure.
      let isReleased = false;
      const letGo = (): void => {
        if (!isReleased) release();
        isReleased = true;
      };
      socket.once('connect', letGo);
      socket.once('close', () => {
        letGo();
        resolve(false);
        if (this.#connected !== socket) return;
        this.#connected = undefined;
        this.#options.onLost();
      });
    });
  }

  send(message: ToKeeper, chunk?: Buffer): void {
    this.#connected?.write(encodeKeeperFrame(message, chunk));
  }

  ask(question: (piece: number) => ToKeeper, chunk?: Buffer): Promise<boolean> {
    if (this.#connected === undefined) return Promise.resolve(false);
    const piece = this.nextNumber();
    return new Promise((resolve) => {
      this.#pieces.set(piece, (answer) => {
        this.#pieces.delete(piece);
        resolve(answer);
      });
      this.send(question(piece), chunk);
    });
  }

  /** Passes on the answer to the question with that number. */
  resolveQuestion(piece: number, answer: boolean): void {
    this.#pieces.get(piece)?.(answer);
  }

  /** Resolves all questions with false: the keeper is gone. */
  giveUpAsking(): void {
    for (const done of this.#pieces.values()) done(false);
  }

  /** Asks the keeper to end. Resolves when it has ended. */
  async end(): Promise<void> {
    const socket = this.#connected;
    if (socket === undefined) return;
    const closed = new Promise<void>((resolve) => {
      socket.once('close', () => resolve());
    });
    this.send({ type: 'end' });
    await closed;
  }
}

/** An interactive command. */
interface InteractiveCallbacks extends Pick<ExecLaunch, 'onOutput' | 'onExit'> {
  readonly started: (outcome: ExecStart) => void;
}

interface CommandCallbacks {
  readonly onOutput: ExecRequest['onOutput'];
  readonly done: (outcome: ExecOutcome) => void;
}

/** The error of starts after the end of the keeper. */
export const KEEPER_GONE = 'the keeper process of the containers has ended';

/** The commands that a keeper runs in its containers for this process, as Runtime describes them. */
export class KeeperCommands {
  readonly #connection: KeeperConnection;
  readonly #commands = new Map<number, CommandCallbacks>();
  readonly #sessions = new Map<number, InteractiveCallbacks>();

  constructor(connection: KeeperConnection) {
    this.#connection = connection;
  }

  /** Runs a command; see Runtime. */
  async exec({ onOutput, signal, ...request }: ExecRequest): Promise<ExecOutcome> {
    if (signal?.aborted === true) return { type: 'aborted' };
    if (!this.#connection.isUp) return { type: 'failedToStart', error: KEEPER_GONE };
    const command = this.#connection.nextNumber();
    const abort = (): void => this.#connection.send({ type: 'abort', command });
    signal?.addEventListener('abort', abort, { once: true });
    const outcome = await new Promise<ExecOutcome>((resolve) => {
      this.#commands.set(command, { onOutput, done: resolve });
      this.#connection.send({ type: 'exec', command, request, wantsOutput: onOutput !== undefined });
    });
    signal?.removeEventListener('abort', abort);
    this.#commands.delete(command);
    return outcome;
  }

  /** Starts an interactive command; see Runtime. */
  async startExec({ onOutput, onExit, ...launch }: ExecLaunch): Promise<ExecStart> {
    if (!this.#connection.isUp) return { ok: false, error: KEEPER_GONE };
    const command = this.#connection.nextNumber();
    return new Promise((resolve) => {
      this.#sessions.set(command, { onOutput, onExit, started: resolve });
      this.#connection.send({ type: 'startExec', command, launch });
    });
  }

  /** Passes on how a command of `exec` has ended. */
  ended({ command, outcome }: Extract<FromKeeper, { type: 'execOutcome' }>): void {
    this.#commands.get(command)?.done(outcome);
  }

  /** Passes on whether a command of `startExec` runs. */
  started({ command, outcome }: Extract<FromKeeper, { type: 'execStarted' }>): void {
    const session = this.#sessions.get(command);
    if (!outcome.ok) this.#sessions.delete(command);
    session?.started(
      outcome.ok ? { ...outcome, command: commandProxy(this.#connection, command, outcome.command) } : outcome,
    );
  }

  /** Passes on the exit of a command of `startExec`. */
  exited(command: number, exitCode: number): void {
    const session = this.#sessions.get(command);
    this.#sessions.delete(command);
    session?.onExit(exitCode);
  }

  /** Passes on output of a command. */
  output(command: number, stream: OutputStream, chunk: Buffer): void {
    (this.#commands.get(command) ?? this.#sessions.get(command))?.onOutput?.(stream, chunk);
  }

  /**
   * Ends all commands: the keeper is gone.
   * @param exitCode the exit code of interactive commands
   */
  lost(exitCode: number): void {
    for (const { done } of this.#commands.values()) done({ type: 'aborted' });
    for (const { started } of this.#sessions.values()) started({ ok: false, error: KEEPER_GONE });
    for (const command of this.#sessions.keys()) this.exited(command, exitCode);
  }
}
