import { connect, type Socket } from 'node:net';
import { PodrunError } from '../../api/errors.ts';
import { socketAddress } from '../attach/socket-address.ts';
import type { KeeperLine } from './process-proxies.ts';
import {
  encodeFrame,
  type Frame,
  FrameReader,
  type FromKeeper,
  KEEPER_VERSION,
  type KeptContainer,
  type ToKeeper,
} from './protocol.ts';

/** Where a keeper listens, and who hears what it says. */
export interface KeeperConnectionOptions {
  readonly socket: string;
  /** The first that it says: what it has. */
  readonly onGreeting: (containers: readonly KeptContainer[]) => void;
  /** All that it says later. */
  readonly onFrame: (frame: Frame<FromKeeper>) => void;
  /** The keeper that had greeted is gone. */
  readonly onLost: () => void;
}

/** The agent's end of the socket at which a keeper listens; one after the other, when a keeper is gone. */
export class KeeperConnection implements KeeperLine {
  readonly #options: KeeperConnectionOptions;
  /** Who waits for an answer. */
  readonly #pieces = new Map<number, (answer: boolean) => void>();
  #numbers = 0;
  #connected: Socket | undefined;

  constructor(options: KeeperConnectionOptions) {
    this.#options = options;
  }

  /** There is a keeper, and it has greeted. */
  get isUp(): boolean {
    return this.#connected !== undefined;
  }

  /** One that no other command or question has. */
  nextNumber(): number {
    return ++this.#numbers;
  }

  /**
   * Resolves when the keeper has said what it has; with false when nobody listens there.
   * @throws {PodrunError} when it speaks another language
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
      const socket = connect(address.address);
      const reader = new FrameReader<FromKeeper>();
      const take = (frame: Frame<FromKeeper>): void => {
        if (frame.message.type !== 'hello') return this.#options.onFrame(frame);
        const { version, containers } = frame.message;
        if (version !== KEEPER_VERSION) {
          reject(new PodrunError(`the containers are kept by another version of podrun (protocol ${version})`));
          socket.destroy();
          return;
        }
        this.#options.onGreeting(containers);
        this.#connected = socket;
        resolve(true);
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
        resolve(false);
        if (this.#connected !== socket) return;
        this.#connected = undefined;
        this.#options.onLost();
      });
    });
  }

  send(message: ToKeeper, chunk?: Buffer): void {
    this.#connected?.write(encodeFrame(message, chunk));
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

  /** The keeper has answered what was asked under that number. */
  answered(piece: number, answer: boolean): void {
    this.#pieces.get(piece)?.(answer);
  }

  /** Nobody will answer any more. */
  giveUpAsking(): void {
    for (const done of this.#pieces.values()) done(false);
  }

  /** Says that nothing more will come. Resolves when the keeper has ended. */
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
