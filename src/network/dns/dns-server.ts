import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { createServer, type Server, type Socket } from 'node:net';
import type { Answer } from 'dns-packet';
import { guarded, inBackground } from '../../defects.ts';
import type { Alarm, Clock } from '../../clock.ts';
import { type OpenConnections, openConnections } from '../base/connections.ts';
import { type DnsZone, dnsAnswer, dnsZone } from './answer.ts';
import { type DialServer, Forwarder } from './forwarder.ts';
import {
  type DnsQuestion,
  inFrames,
  readAnswers,
  readQuestion,
  writeAnswer,
  writeFrame,
  writeQuestion,
  writeRefusal,
} from './message.ts';
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

/** The period of attempts to listen where another server does. */
const RETRY_MS = 1000;
/**
 * The time for which names of Pods hold after their last update. Source: kube-controller-manager,
 * node-monitor-grace-period: after it, a cluster takes the Pods of a silent node from Services.
 */
const PODS_HOLD_MS = 40_000;

interface ListenPlace {
  readonly address: string;
  readonly port: number;
}

/** A DNS server for podrun's own names. Forwards all other questions to other servers. */
export class DnsServer {
  /** The servers that know all other names. */
  readonly forwarder: Forwarder;
  readonly #clock: Clock;
  #names: readonly DnsName[] = [];
  #zone: DnsZone = dnsZone([]);
  #place: ListenPlace | undefined;
  /** Settles when the last attempt to listen has ended: attempts run one after the other. */
  #opened: Promise<void> = Promise.resolve();
  #udp: DatagramSocket | undefined;
  #tcp: Server | undefined;
  #connections: OpenConnections | undefined;
  #retry: Alarm | undefined;
  #forgetting: Alarm | undefined;

  constructor(clock: Clock, dial: DialServer) {
    this.#clock = clock;
    this.forwarder = new Forwarder(clock, dial);
  }

  /** Replaces the names, from the next question on. */
  update(names: readonly DnsName[]): void {
    this.#names = names;
    this.#zone = dnsZone(names);
  }

  /**
   * Listens at the address. Several processes may: when one ends, another one gets the questions over UDP, and within a
   * second the questions over TCP. Until then, long responses stay truncated.
   * @throws {Error} (EACCES, EADDRINUSE, …) when it cannot listen over UDP
   */
  open(address: string, port: number): Promise<void> {
    const place = (this.#place ??= { address, port });
    const opened = this.#opened.then(async () => {
      this.#udp ??= await this.#listenUdp(place, { isShared: true });
      await this.#openTcp(place);
    });
    this.#opened = opened.catch(() => undefined);
    return opened;
  }

  /**
   * Keeps serving without an agent, which would update the names. The server of another agent takes over the questions,
   * if there is one. The names of Pods expire after a while: the server does not learn of their ends.
   */
  serveAlone(): void {
    this.#closeSockets();
    const place = this.#place;
    if (place !== undefined) inBackground(this.#openAlone(place));
    this.#forgetting = this.#in(PODS_HOLD_MS, () =>
      this.update(this.#names.map((name) => (name.isOfPods === true ? { ...name, records: [] } : name))),
    );
  }

  close(): void {
    this.#place = undefined;
    this.#forgetting?.cancel();
    this.#closeSockets();
    this.#connections?.end();
    this.forwarder.close();
  }

  #closeSockets(): void {
    this.#retry?.cancel();
    this.#udp?.close();
    this.#tcp?.close();
    this.#udp = undefined;
    this.#tcp = undefined;
  }

  async #openTcp(place: ListenPlace): Promise<void> {
    this.#retry?.cancel();
    this.#tcp ??= await this.#listenTcp(place).catch(() => undefined);
    if (this.#tcp === undefined && this.#place === place)
      this.#retry = this.#in(RETRY_MS, () => inBackground(this.#openTcp(place)));
  }

  /** Listens when no other server does. */
  async #openAlone(place: ListenPlace): Promise<void> {
    this.#udp = await this.#listenUdp(place, { isShared: false }).catch(() => undefined);
    if (this.#udp !== undefined) return this.#openTcp(place);
    if (this.#place === place) this.#retry = this.#in(RETRY_MS, () => inBackground(this.#openAlone(place)));
  }

  #in(ms: number, run: () => void): Alarm {
    return this.#clock.wakeAt(this.#clock.now().monotonicMs + ms, run);
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

  /** The rest of an answer: the records of the canonical name. */
  async #behind(alias: string | undefined, question: DnsQuestion, left: number): Promise<readonly Answer[]> {
    if (alias === undefined || left === 0) return [];
    const { type } = question;
    const reply = dnsAnswer({ name: alias, type }, this.#zone);
    if (reply !== undefined) return [...reply.answers, ...(await this.#behind(reply.alias, question, left - 1))];
    const answer = await this.forwarder.ask(writeQuestion({ name: alias, type }), 'tcp');
    return answer === undefined ? [] : readAnswers(answer);
  }

  #listenUdp({ address, port }: ListenPlace, { isShared }: { readonly isShared: boolean }): Promise<DatagramSocket> {
    const socket = guarded(createSocket({ type: 'udp4', reuseAddr: isShared }));
    socket.on('message', (packet, client) => {
      inBackground(
        this.respond(packet, 'udp').then((answer) => {
          if (answer !== undefined && this.#udp !== undefined) socket.send(answer, client.port, client.address);
        }),
      );
    });
    return new Promise((resolve, reject) => {
      socket.once('error', reject);
      socket.bind({ address, port, exclusive: true }, () => {
        socket.off('error', reject).on('error', () => undefined);
        resolve(socket);
      });
    });
  }

  #listenTcp({ address, port }: ListenPlace): Promise<Server> {
    const server = guarded(createServer({ noDelay: true }, (client) => this.#serve(client)));
    server.maxConnections = CONNECTIONS_MAX;
    this.#connections = openConnections(server);
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
