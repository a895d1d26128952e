import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { createServer, type Server, type Socket } from 'node:net';
import type { Answer } from 'dns-packet';
import type { Clock } from '../../clock.ts';
import { type DnsZone, dnsAnswer, dnsZone } from './answer.ts';
import { type DialServer, Forwarder } from './forwarder.ts';
import { inFrames, writeFrame } from './frames.ts';
import { type DnsQuestion, readAnswers, readQuestion, writeAnswer, writeQuestion, writeRefusal } from './message.ts';
import type { DnsName } from './names.ts';

type Via = 'udp' | 'tcp';

/** The number of names that may stand for each other in turn. */
const ALIASES_MAX = 8;
/** The number of open TCP connections of clients. */
const CONNECTIONS_MAX = 128;
/** The time for which a TCP connection may be silent. */
const IDLE_MS = 10_000;
/** The longest answer over TCP. */
const TCP_BYTES_MAX = 65_535;

/** A DNS server: it answers for its own names, and asks other servers about the rest. */
export class DnsServer {
  /** The servers that know all other names. */
  readonly forwarder: Forwarder;
  #zone: DnsZone = dnsZone([]);
  #udp: DatagramSocket | undefined;
  #tcp: Server | undefined;

  constructor(clock: Clock, dial: DialServer) {
    this.forwarder = new Forwarder(clock, dial);
  }

  /** Has these names instead of those before, from the next question on. */
  update(names: readonly DnsName[]): void {
    this.#zone = dnsZone(names);
  }

  /**
   * Listens at the address. Several processes may: when one ends, another one gets the questions over UDP. Without the
   * port of TCP, long answers stay truncated.
   * @throws {Error} (EACCES, EADDRINUSE, …) when it cannot be listened on over UDP
   */
  async open(address: string, port: number): Promise<void> {
    this.#udp ??= await this.#listenUdp(address, port);
    this.#tcp ??= await this.#listenTcp(address, port).catch(() => undefined);
  }

  close(): void {
    this.#udp?.close();
    this.#tcp?.close();
    this.#udp = undefined;
    this.#tcp = undefined;
    this.forwarder.close();
  }

  /** Resolves with the answer to a packet. Undefined: it gets none. */
  async respond(packet: Buffer, via: Via): Promise<Buffer | undefined> {
    const question = readQuestion(packet);
    if (question === undefined) return undefined;
    if (typeof question === 'string') return writeRefusal(packet, question);
    const reply = dnsAnswer(question, this.#zone);
    if (reply === undefined) return (await this.forwarder.ask(packet, via)) ?? writeRefusal(packet, 'SERVFAIL');
    const answers = [...reply.answers, ...(await this.#behind(reply.alias, question, ALIASES_MAX))];
    return writeAnswer(question, { ...reply, answers }, via === 'udp' ? question.sizeMax : TCP_BYTES_MAX);
  }

  /** The rest of an answer: what is known about the name for which the one in question stands. */
  async #behind(alias: string | undefined, question: DnsQuestion, left: number): Promise<readonly Answer[]> {
    if (alias === undefined || left === 0) return [];
    const { type } = question;
    const reply = dnsAnswer({ name: alias, type }, this.#zone);
    if (reply !== undefined) return [...reply.answers, ...(await this.#behind(reply.alias, question, left - 1))];
    const answer = await this.forwarder.ask(writeQuestion({ name: alias, type }), 'tcp');
    return answer === undefined ? [] : readAnswers(answer);
  }

  #listenUdp(address: string, port: number): Promise<DatagramSocket> {
    const socket = createSocket({ type: 'udp4', reuseAddr: true });
    socket.on('message', (packet, client) => {
      void this.respond(packet, 'udp').then((answer) => {
        if (answer !== undefined && this.#udp !== undefined) socket.send(answer, client.port, client.address);
      });
    });
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({ address, port, exclusive: true }, () => {
        socket.off('error', reject).on('error', () => undefined);
        resolve(socket);
      });
    });
  }

  #listenTcp(address: string, port: number): Promise<Server> {
    const server = createServer({ noDelay: true }, (client) => this.#serve(client));
    server.maxConnections = CONNECTIONS_MAX;
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: address, port }, () => {
        server.off('error', reject).on('error', () => undefined);
        resolve(server);
      });
    });
  }

  #serve(client: Socket): void {
    client.on('error', () => undefined).setTimeout(IDLE_MS, () => client.destroy());
    inFrames(client, async (packet) => {
      const answer = await this.respond(packet, 'tcp');
      if (answer === undefined) client.destroy();
      else writeFrame(client, answer);
    });
  }
}
