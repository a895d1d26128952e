import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { connect, isIPv6, type Socket } from 'node:net';
import { guarded } from '../../defects.ts';
import type { Alarm, Clock } from '../../clock.ts';
import { inFrames, isFailure, isReplyTo, isTruncated, writeFrame } from './message.ts';

/** A server for questions about all other names. */
export interface NameServer {
  readonly address: string;
  readonly port: number;
}

/** Opens a connection with a server, in the network in which it can be reached. */
export type DialServer = (server: NameServer) => Promise<Socket>;

/** The time that a server has for its answer. */
const PATIENCE_MS = 2000;
/** The number of questions that may wait for one server. */
const WAITING_MAX = 4096;
const IDS = 65_536;

/** Opens a socket for the questions to a server. Rejects when this machine cannot reach it. */
export function openSocket({ address }: NameServer): Promise<DatagramSocket> {
  const isV6 = isIPv6(address);
  const socket = guarded(createSocket(isV6 ? 'udp6' : 'udp4'));
  const isLocal = address === '::1' || address.startsWith('127.');
  const own = isV6 ? ['::1', '::'] : ['127.0.0.1', '0.0.0.0'];
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.bind({ address: own[isLocal ? 0 : 1] ?? '', port: 0, exclusive: true }, () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** Opens a connection with a server from this process. */
export function dialServer({ address, port }: NameServer): Promise<Socket> {
  const socket = guarded(connect({ host: address, port }));
  return new Promise((resolve, reject) => {
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error('timeout'))).once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

/** Asks the machine's name servers, one after the other. */
export class Forwarder {
  readonly #clock: Clock;
  readonly #dial: DialServer;
  readonly #servers: Upstream[] = [];

  /** @param dial for responses that are too long for UDP */
  constructor(clock: Clock, dial: DialServer) {
    this.#clock = clock;
    this.#dial = dial;
  }

  /**
   * Asks this server too, after those before.
   * @param socket open in the network in which the server can be reached
   */
  add(server: NameServer, socket: DatagramSocket): void {
    this.#servers.push(new Upstream(this.#clock, server, socket));
  }

  /**
   * Forwards a question. Resolves with the answer of the first server that has one. Undefined: no server has replied.
   */
  async ask(question: Buffer, via: 'udp' | 'tcp'): Promise<Buffer | undefined> {
    let last: Buffer | undefined;
    for (const upstream of this.#servers) {
      const answer = await upstream.ask(question);
      if (answer === undefined) continue;
      last = answer;
      if (isFailure(answer)) continue;
      if (via === 'udp' || !isTruncated(answer)) break;
      last = (await this.#askByTcp(upstream.server, question)) ?? answer;
      break;
    }
    return last;
  }

  close(): void {
    for (const upstream of this.#servers.splice(0)) upstream.close();
  }

  /** Undefined: no answer has come in time. */
  async #askByTcp(server: NameServer, question: Buffer): Promise<Buffer | undefined> {
    let socket: Socket | undefined;
    let giveUp = (): void => undefined;
    const lateMs = this.#clock.now().monotonicMs + PATIENCE_MS;
    const alarm = this.#clock.wakeAt(lateMs, () => giveUp());
    const answer = await new Promise<Buffer | undefined>((resolve) => {
      giveUp = () => resolve(undefined);
      this.#dial(server).then((opened) => {
        socket = opened.on('error', () => undefined).once('close', giveUp);
        // One that comes too late ends, too.
        opened.setTimeout(PATIENCE_MS, () => opened.destroy());
        inFrames(opened, (packet) => {
          if (isReplyTo(packet, question)) resolve(packet);
        });
        writeFrame(opened, question);
      }, giveUp);
    });
    alarm.cancel();
    socket?.destroy();
    return answer;
  }
}

interface Waiting {
  readonly question: Buffer;
  readonly settle: (answer: Buffer | undefined) => void;
}

/** One name server, queried over UDP. Its responses find their questions by unpredictable ids. */
class Upstream {
  readonly server: NameServer;
  readonly #clock: Clock;
  readonly #socket: DatagramSocket;
  readonly #waiting = new Map<number, Waiting>();

  constructor(clock: Clock, server: NameServer, socket: DatagramSocket) {
    this.#clock = clock;
    this.server = server;
    this.#socket = socket;
    socket.on('message', (packet, { address, port }) => {
      if (address === server.address && port === server.port && packet.length >= 2) this.#takeReply(packet);
    });
    socket.on('error', () => undefined);
  }

  /** Undefined: the server says nothing in time. */
  ask(question: Buffer): Promise<Buffer | undefined> {
    if (this.#waiting.size >= WAITING_MAX) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const id = this.#freeId();
      let alarm: Alarm | undefined;
      const settle = (answer: Buffer | undefined): void => {
        this.#waiting.delete(id);
        alarm?.cancel();
        resolve(answer);
      };
      alarm = this.#clock.wakeAt(this.#clock.now().monotonicMs + PATIENCE_MS, () => settle(undefined));
      this.#waiting.set(id, { question, settle });
      const { address, port } = this.server;
      this.#socket.send(withId(question, id), port, address, (error) => {
        if (error !== null) settle(undefined);
      });
    });
  }

  close(): void {
    this.#socket.close();
    for (const { settle } of this.#waiting.values()) settle(undefined);
  }

  #takeReply(packet: Buffer): void {
    const waiting = this.#waiting.get(packet.readUInt16BE(0));
    if (waiting === undefined || !isReplyTo(packet, waiting.question)) return;
    waiting.settle(withId(packet, waiting.question.readUInt16BE(0)));
  }

  #freeId(): number {
    // Loaded for the first question, since most helpers forward none, and the module takes 0.5 MB.
    const { randomInt } = process.getBuiltinModule('node:crypto');
    let id = randomInt(IDS);
    while (this.#waiting.has(id)) id = (id + 1) % IDS;
    return id;
  }
}

function withId(packet: Buffer, id: number): Buffer {
  const copy = Buffer.from(packet);
  copy.writeUInt16BE(id, 0);
  return copy;
}
