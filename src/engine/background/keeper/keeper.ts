import { createServer, type Server, type Socket } from 'node:net';
import { chmodSync, rmSync } from 'node:fs';
import { defectText, guarded, inBackground, tellDefect } from '../../../defects.ts';
import type { Alarm } from '../../../clock.ts';
import type { OutputStream, PodOutcome, ProcessStreams, Runtime, StartOutcome } from '../../../runtime/index.ts';
import { socketAddress, type SocketAddress } from '../../../kubelet/index.ts';
import { ExitRecord, type ExitRecordOptions } from './exit-record.ts';
import { Housekeeping, type HousekeepingOptions } from './housekeeping.ts';
import {
  endedContainers,
  isSameContainer,
  type Kept,
  KeptLog,
  type KeptLogOptions,
  newKept,
  startedContainers,
} from './kept.ts';
import { KeptCommands, type InteractiveCommand } from './kept-commands.ts';
import {
  encodeKeeperFrame,
  type KeeperFrame,
  KeeperFrameReader,
  type FromKeeper,
  KEEPER_VERSION,
  withoutFunctions,
  type ProcessRef,
  type ToKeeper,
} from './protocol.ts';

export interface KeeperOptions extends KeptLogOptions, Pick<HousekeepingOptions, 'isStored'> {
  readonly runtime: Runtime;
  /** The keeper's socket, in a folder that other users may not enter. */
  readonly socket: string;
  readonly recordExit: ExitRecordOptions['recordExit'];
  /** Called when the keeper can end: nothing runs, and no agent needs it. */
  readonly onDone: () => void;
}

const NO_NAMESPACES: PodOutcome = { ok: false, error: 'there are no namespaces' };

/** The time that an idle keeper waits for the next agent. */
const IDLE_MS = 2000;

/**
 * Starts containers for an agent and outlives it: waits for them, records their exit codes, writes their logs. Knows
 * nothing of Pods. One agent is connected at a time; the containers run on without one, and the next agent is sent
 * their state. The containers end with the keeper, and without an agent also when the store no longer has their Pods.
 */
export class Keeper {
  readonly #options: KeeperOptions;
  readonly #kept = new Map<string, Kept>();
  /** Starts that are not finished. */
  readonly #starting = new Set<Promise<void>>();
  readonly #commands: KeptCommands;
  readonly #exits: ExitRecord;
  readonly #housekeeping: Housekeeping;
  #agent: Socket | undefined;
  #server: Server | undefined;
  #address: SocketAddress | undefined;
  #idle: Alarm | undefined;
  #hasEnded = false;
  #isClosed = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#exits = new ExitRecord({ ...options, onWritten: () => this.#checkIdle() });
    this.#housekeeping = new Housekeeping({
      ...options,
      kept: () => this.#kept.values(),
      hasAgent: () => this.#agent !== undefined,
    });
    this.#commands = new KeptCommands({
      runtime: options.runtime,
      send: (...message) => this.#send(...message),
      sendOutput: (...output) => this.#sendOutput(...output),
    });
  }

  /** Listens. Resolves when agents can connect. */
  async listen(): Promise<void> {
    const address = socketAddress(this.#options.socket);
    rmSync(address.address, { force: true });
    const server = guarded(createServer((socket) => this.#serve(socket)));
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(address.address, resolve);
    });
    chmodSync(address.address, 0o600);
    this.#server = server;
    this.#address = address;
    this.#checkIdle();
  }

  /** Serves an agent. There is one: a new connection replaces the old one. */
  #serve(socket: Socket): void {
    this.#leave();
    this.#agent = socket;
    this.#idle?.cancel();
    const reader = new KeeperFrameReader<ToKeeper>();
    socket.on('data', (piece) => {
      if (socket !== this.#agent) return;
      try {
        for (const frame of reader.read(piece)) this.#take(frame);
      } catch {
        socket.destroy();
      }
    });
    socket.on('drain', () => this.#holdOutput());
    socket.on('error', () => undefined);
    socket.once('close', () => {
      if (socket === this.#agent) this.#leave();
    });
    inBackground(this.#greet(socket));
  }

  async #greet(socket: Socket): Promise<void> {
    // The greeting lists containers that are just being started, too.
    await Promise.all(this.#starting);
    if (socket !== this.#agent) return;
    const containers = [...this.#kept.values()].flatMap(startedContainers);
    this.#send({ type: 'hello', version: KEEPER_VERSION, containers, opensPods: true });
  }

  /** Drops the agent: ends its commands, but not its containers. */
  #leave(): void {
    this.#agent?.destroy();
    this.#agent = undefined;
    this.#commands.end();
    for (const kept of this.#kept.values()) {
      kept.isHeld = false;
      kept.isShown = true;
    }
    this.#holdOutput();
    this.#checkIdle();
  }

  #take({ message, chunk }: KeeperFrame<ToKeeper>): void {
    switch (message.type) {
      case 'start':
        return this.#start(message);
      case 'signal':
        return this.#signal(message);
      case 'limit':
        return this.#limit(message);
      case 'kill':
        return this.#process(message.of)?.kill();
      case 'input':
        return inBackground(this.#input(message, chunk));
      case 'inputEnd':
        return this.#process(message.of)?.streams?.input?.end();
      case 'resize':
        return this.#process(message.of)?.streams?.terminal?.resize(message.size);
      case 'hold':
        return this.#hold(message);
      case 'show':
        return this.#show(message);
      case 'exec':
        return inBackground(this.#commands.exec(message));
      case 'startExec':
        return inBackground(this.#commands.startExec(message));
      case 'abort':
        return this.#commands.abort(message.command);
      case 'openPod':
        return inBackground(this.#openPod(message));
      case 'closePod':
        return inBackground(this.#closePod(message));
      case 'forget':
        return this.#forget(message.uid);
      case 'end':
        this.#hasEnded = true;
        return this.#checkIdle();
      default:
        // A message of a later version.
        message satisfies never;
    }
  }

  #start({ launch, log: target }: Extract<ToKeeper, { type: 'start' }>): void {
    // The agent has seen the exits of earlier instances of this container.
    for (const [other, { exit }] of this.#kept) {
      if (exit !== undefined && isSameContainer(other, launch.id)) this.#kept.delete(other);
    }
    const kept = newKept(launch, target, new KeptLog(target, this.#options, (message) => this.#trouble(message)));
    const starting = this.#startKept(kept).finally(() => this.#starting.delete(starting));
    this.#starting.add(starting);
  }

  async #startKept(kept: Kept): Promise<void> {
    const { launch, log } = kept;
    const { id } = launch;
    const of: ProcessRef = { container: id };
    this.#kept.set(id, kept);
    const starting = this.#options.runtime.start({
      ...launch,
      onOutput: (stream, chunk) => {
        log.write(stream, chunk);
        if (kept.isShown) this.#sendOutput(of, stream, chunk);
      },
      onExit: ({ swept, ...exit }) => {
        log.close();
        kept.exit = exit;
        for (const end of endedContainers(kept)) this.#exits.add(end);
        this.#send({ type: 'exited', container: id, exit });
        inBackground(
          swept.catch(tellDefect).then(() => {
            kept.isSwept = true;
            this.#send({ type: 'swept', container: id });
            this.#checkIdle();
          }),
        );
      },
    });
    // The agent waits for the outcome.
    const outcome = await starting.catch((error: unknown): StartOutcome => {
      tellDefect(error);
      return { ok: false, error: defectText(error), at: this.#options.clock.now() };
    });
    if (outcome.ok) kept.running = outcome.container;
    else this.#kept.delete(id);
    this.#send({
      type: 'started',
      container: id,
      outcome: outcome.ok ? { ...outcome, container: withoutFunctions(outcome.container) } : outcome,
    });
  }

  #signal({ container, name, piece }: Extract<ToKeeper, { type: 'signal' }>): void {
    const isUnheard = this.#kept.get(container)?.running?.signal(name) ?? false;
    this.#send({ type: 'signalled', piece, isUnheard });
  }

  #limit({ container, limits }: Extract<ToKeeper, { type: 'limit' }>): void {
    const notice = this.#kept.get(container)?.running?.limit?.(limits);
    if (notice !== undefined) this.#trouble(notice);
  }

  async #input({ of, piece }: Extract<ToKeeper, { type: 'input' }>, chunk: Buffer): Promise<void> {
    await this.#process(of)?.streams?.input?.write(chunk);
    this.#send({ type: 'inputTaken', piece });
  }

  #process(of: ProcessRef): { readonly streams?: ProcessStreams; kill(): void } | undefined {
    return this.#holder(of)?.running;
  }

  #holder(of: ProcessRef): Kept | InteractiveCommand | undefined {
    return 'container' in of ? this.#kept.get(of.container) : this.#commands.session(of.command);
  }

  #hold({ of, held }: Extract<ToKeeper, { type: 'hold' }>): void {
    const holder = this.#holder(of);
    if (holder === undefined) return;
    holder.isHeld = held;
    this.#holdOutput();
  }

  #show({ container, isShown }: Extract<ToKeeper, { type: 'show' }>): void {
    const kept = this.#kept.get(container);
    if (kept !== undefined) kept.isShown = isShown;
  }

  /** Stops reading output that the agent does not take, so that it does not fill the memory. */
  #holdOutput(): void {
    const isBehind = this.#agent?.writableNeedDrain === true;
    for (const { running, exit, isHeld } of this.#kept.values()) {
      if (exit === undefined) running?.streams?.holdOutput(isBehind || isHeld);
    }
    this.#commands.holdOutput(isBehind);
  }

  #forget(uid: string): void {
    for (const [id, kept] of this.#kept) {
      if (!id.startsWith(`${uid}/`)) continue;
      kept.log.mute();
      if (kept.isSwept) this.#kept.delete(id);
    }
    this.#exits.forget(uid);
  }

  async #openPod({ request, piece }: Extract<ToKeeper, { type: 'openPod' }>): Promise<void> {
    const outcome = (await this.#options.runtime.openPod?.(request)) ?? NO_NAMESPACES;
    this.#send({ type: 'podOpened', piece, uid: request.pod.uid, outcome });
  }

  async #closePod({ uid, piece }: Extract<ToKeeper, { type: 'closePod' }>): Promise<void> {
    await this.#options.runtime.closePod?.(uid);
    this.#send({ type: 'podClosed', piece });
  }

  #trouble(message: string): void {
    this.#send({ type: 'trouble', message, at: this.#options.clock.now() });
  }

  #sendOutput(of: ProcessRef, stream: OutputStream, chunk: Buffer): void {
    this.#send({ type: 'output', of, stream }, chunk);
    if (this.#agent?.writableNeedDrain === true) this.#holdOutput();
  }

  #send(message: FromKeeper, chunk?: Buffer): void {
    if (this.#agent?.writable === true) this.#agent.write(encodeKeeperFrame(message, chunk));
  }

  #checkIdle(): void {
    this.#idle?.cancel();
    if (this.#starting.size > 0 || [...this.#kept.values()].some(({ isSwept }) => !isSwept)) return;
    if (this.#hasEnded) return this.#close();
    // The exit of a container must not be lost with this process.
    if (this.#agent !== undefined || this.#exits.isWaiting) return;
    const { clock } = this.#options;
    this.#idle = clock.wakeAt(clock.now().monotonicMs + IDLE_MS, () => this.#close());
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#server?.close();
    this.#address?.release();
    this.#agent?.destroy();
    this.#exits.close();
    this.#housekeeping.close();
    this.#options.onDone();
  }
}
