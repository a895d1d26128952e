import { caught, inBackground } from '../../../defects.ts';
import { errorMessage, PodrunError } from '../../../api/index.ts';
import type { Clock } from '../../../clock.ts';
import type {
  Adopted,
  ContainerLaunch,
  ExecLaunch,
  ExecOutcome,
  ExecRequest,
  ExecStart,
  PodOutcome,
  PodRequest,
  Runtime,
  RuntimeFeatures,
  StartOutcome,
} from '../../../runtime/index.ts';
import { KEEPER_GONE, KeeperCommands, KeeperConnection } from './keeper-connection.ts';
import { containerProxy } from './process-proxies.ts';
import type { KeeperFrame, FromKeeper, KeptContainer, LogTarget, ExitMessage } from './protocol.ts';

export interface KeptRuntimeOptions {
  readonly clock: Clock;
  readonly socket: string;
  readonly features: RuntimeFeatures | undefined;
  /**
   * Starts a keeper. Resolves when it listens at the socket.
   * @throws {PodrunError} when it does not start
   */
  readonly startKeeper: () => Promise<void>;
  readonly logPlaceOf: (id: string) => LogTarget;
  /** Ends the processes that a killed keeper has left of these containers. Never rejects. */
  readonly endRemains: (ids: readonly string[]) => Promise<void>;
  readonly onTrouble: (message: string) => void;
}

/** The callbacks for one container. */
export type ContainerListeners = Pick<ContainerLaunch, 'onOutput' | 'onExit'>;

interface Live extends ContainerListeners {
  readonly swept: Promise<void>;
  readonly onSwept: () => void;
  hasExited: boolean;
}

const SIGKILLED = { exitCode: 137, signal: 'SIGKILL', oomKilled: false };

/**
 * A runtime in another process, which outlives this one: see Keeper. Its containers can be adopted when this process
 * begins. They are killed with the keeper; the next start brings a new one.
 */
export class KeptRuntime implements Runtime {
  readonly features: RuntimeFeatures | undefined;
  readonly #options: KeptRuntimeOptions;
  readonly #live = new Map<string, Live>();
  readonly #starts = new Map<string, (outcome: StartOutcome) => void>();
  readonly #connection: KeeperConnection;
  readonly #commands: KeeperCommands;
  /** Resolves when a keeper is connected. */
  #reached: Promise<void> | undefined;
  /** The containers that the keeper had when this process began, by id. */
  readonly #kept = new Map<string, KeptContainer>();
  /** The outcomes of `openPod`, by uid of the Pod. */
  readonly #opened = new Map<string, PodOutcome>();
  #opensPods = false;
  #isClosing = false;

  get keeperSocket(): string {
    return this.#options.socket;
  }

  constructor(options: KeptRuntimeOptions) {
    this.#options = options;
    this.features = options.features;
    this.#connection = new KeeperConnection({
      socket: options.socket,
      onGreeting: ({ containers, opensPods = false }) => {
        this.#opensPods = opensPods;
        for (const container of containers) this.#kept.set(container.id, container);
      },
      onFrame: (frame) => this.#take(frame),
      onLost: () => inBackground(this.#lost()),
    });
    this.#commands = new KeeperCommands(this.#connection);
  }

  /**
   * The containers of a running keeper. Undefined: no keeper runs.
   * @throws {PodrunError} when the keeper has another protocol
   */
  async findKept(): Promise<readonly KeptContainer[] | undefined> {
    if (!(await this.#connection.connect())) return undefined;
    this.#reached = Promise.resolve();
    return [...this.#kept.values()];
  }

  /** Kills a container that a running keeper has and that no agent adopts. */
  kill({ id, running }: KeptContainer): void {
    containerProxy(this.#connection, id, running).kill();
  }

  adopt(id: string, listeners: ContainerListeners): Adopted | undefined {
    const kept = this.#kept.get(id);
    if (kept === undefined) return undefined;
    const { launch, running, exit, isSwept } = kept;
    this.#listen(id, listeners);
    if (exit !== undefined) setImmediate(caught(() => this.#exited(id, exit)));
    if (isSwept) this.#swept(id);
    return { container: containerProxy(this.#connection, id, running), launch };
  }

  async start(launch: ContainerLaunch): Promise<StartOutcome> {
    const { onOutput, onExit, ...message } = launch;
    const { id } = launch;
    const failed = (error: string): StartOutcome => ({ ok: false, error, at: this.#options.clock.now() });
    try {
      await this.#reach();
    } catch (error) {
      return failed(errorMessage(error));
    }
    return new Promise((resolve) => {
      this.#starts.set(id, (outcome) => {
        if (!outcome.ok) this.#live.delete(id);
        resolve(outcome);
      });
      this.#listen(id, { onOutput, onExit });
      this.#connection.send({ type: 'start', launch: message, log: this.#options.logPlaceOf(id) });
    });
  }

  exec(request: ExecRequest): Promise<ExecOutcome> {
    return this.#commands.exec(request);
  }

  startExec(launch: ExecLaunch): Promise<ExecStart> {
    return this.#commands.startExec(launch);
  }

  async openPod(request: PodRequest): Promise<PodOutcome> {
    const gone: PodOutcome = { ok: false, error: KEEPER_GONE };
    try {
      await this.#reach();
    } catch (error) {
      return { ok: false, error: errorMessage(error) };
    }
    if (!this.#opensPods) return { ok: false, error: 'the keeper process of the containers is of an older podrun' };
    const isThere = await this.#connection.ask((piece) => ({ type: 'openPod', request, piece }));
    return isThere ? (this.#opened.get(request.pod.uid) ?? gone) : gone;
  }

  async closePod(uid: string): Promise<void> {
    if (this.#opened.delete(uid)) await this.#connection.ask((piece) => ({ type: 'closePod', uid, piece }));
  }

  /** Remembers the recorded exits of containers whose keeper is gone. */
  remember(endings: readonly KeptContainer[]): void {
    for (const ending of endings) this.#kept.set(ending.id, { ...ending, isSwept: true });
  }

  /** Makes the keeper forget a Pod that is over or was replaced. */
  forget(uid: string): void {
    this.#connection.send({ type: 'forget', uid });
  }

  /** Closes the runtime. Resolves when the keeper has ended. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#connection.end();
  }

  /** Waits for the keeper. Starts one if there is none. */
  async #reach(): Promise<void> {
    this.#reached ??= this.#startKeeper();
    try {
      await this.#reached;
    } catch (error) {
      this.#reached = undefined;
      throw error;
    }
  }

  async #startKeeper(): Promise<void> {
    await this.#options.startKeeper();
    if (!(await this.#connection.connect())) throw new PodrunError('Unreachable', KEEPER_GONE);
  }

  #take({ message, chunk }: KeeperFrame<FromKeeper>): void {
    switch (message.type) {
      case 'hello':
        return;
      case 'started':
        return this.#started(message);
      case 'output':
        return this.#output(message, chunk);
      case 'exited':
        // The exit comes after `start` has resolved.
        return void setImmediate(caught(() => this.#exited(message.container, message.exit)));
      case 'swept':
        return this.#swept(message.container);
      case 'inputTaken':
        return this.#connection.resolveQuestion(message.piece, true);
      case 'signalled':
        return this.#connection.resolveQuestion(message.piece, message.isUnheard);
      case 'podOpened':
        this.#opened.set(message.uid, message.outcome);
        return this.#connection.resolveQuestion(message.piece, true);
      case 'podClosed':
        return this.#connection.resolveQuestion(message.piece, true);
      case 'execOutcome':
        return this.#commands.ended(message);
      case 'execStarted':
        return this.#commands.started(message);
      case 'execExited':
        // The exit comes after `startExec` has resolved.
        return void setImmediate(caught(() => this.#commands.exited(message.command, message.exitCode)));
      case 'trouble':
        return this.#options.onTrouble(message.message);
      default:
        // A message of a later version.
        message satisfies never;
    }
  }

  #started({ container: id, outcome }: Extract<FromKeeper, { type: 'started' }>): void {
    const done = this.#starts.get(id);
    this.#starts.delete(id);
    done?.(outcome.ok ? { ...outcome, container: containerProxy(this.#connection, id, outcome.container) } : outcome);
  }

  #output({ of, stream }: Extract<FromKeeper, { type: 'output' }>, chunk: Buffer): void {
    if ('container' in of) this.#live.get(of.container)?.onOutput(stream, chunk);
    else this.#commands.output(of.command, stream, chunk);
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

  #exited(id: string, exit: ExitMessage): void {
    const live = this.#live.get(id);
    const kept = this.#kept.get(id);
    // The container ended between the greeting and its adoption.
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
    // The exit is reported first, in the next turn of the event loop.
    setImmediate(
      caught(() => {
        if (this.#live.get(id) === live) this.#live.delete(id);
      }),
    );
  }

  /** Handles a keeper that was killed: its containers are dead, or are ended here. */
  async #lost(): Promise<void> {
    this.#reached = undefined;
    if (this.#isClosing) return;
    this.#options.onTrouble(`${KEEPER_GONE}; its containers have been killed`);
    this.#connection.giveUpAsking();
    this.#commands.lost(SIGKILLED.exitCode);
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
}
