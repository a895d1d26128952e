import type { Socket } from 'node:net';
import {
  type Answer,
  AUTHORITATIVE_ANSWER,
  decode,
  encode,
  encodingLength,
  type Packet,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from 'dns-packet';
import { inBackground } from '../../defects.ts';

/** A question that podrun may answer. */
export interface DnsQuestion {
  readonly id: number;
  readonly isRecursionDesired: boolean;
  readonly name: string;
  /** The type of the records, as dns-packet names it. */
  readonly type: Packet['questions'] extends (infer Q)[] | undefined
    ? Q extends { type: infer T }
      ? T
      : never
    : never;
  /** The number of bytes of an answer that the client accepts over UDP. */
  readonly sizeMax: number;
  /** True when the client speaks EDNS(0): the answer has to as well. */
  readonly hasEdns: boolean;
}

/** The response codes of the protocol. */
const RCODES = { NOERROR: 0, FORMERR: 1, SERVFAIL: 2, NXDOMAIN: 3, NOTIMP: 4 } as const;

type Rcode = keyof typeof RCODES;

const HEADER_BYTES = 12;
/** The longest question that podrun reads, longer than any client's: it bounds the work for one packet. */
const QUESTION_BYTES_MAX = 4096;
/** The answer to a client without EDNS. Source: RFC 1035, 4.2.1. */
const PLAIN_BYTES = 512;
/** The largest answer over UDP, and podrun's own EDNS size. */
const ANSWER_BYTES_MAX = 4096;
/** Records beside the question: EDNS, and a signature. */
const ADDITIONALS_MAX = 2;
const RESPONSE = 1 << 15;
const OPCODE = 0x78_00;

/**
 * Reads a question. Returns a response code for packets that are no question for podrun, and undefined for packets that
 * must get no reply: a reply to a reply, for example, would go back and forth between two servers.
 */
export function readQuestion(packet: Buffer): DnsQuestion | Rcode | undefined {
  if (packet.length < HEADER_BYTES || (packet.readUInt16BE(2) & RESPONSE) !== 0) return undefined;
  if (packet.length > QUESTION_BYTES_MAX) return 'FORMERR';
  if ((packet.readUInt16BE(2) & OPCODE) !== 0) return 'NOTIMP';
  const [questions, answers, authorities, additionals] = [4, 6, 8, 10].map((offset) => packet.readUInt16BE(offset));
  const isOne = questions === 1 && answers === 0 && authorities === 0 && (additionals ?? 0) <= ADDITIONALS_MAX;
  if (!isOne) return 'FORMERR';
  try {
    const { id = 0, flag_rd: isRecursionDesired, questions: [question] = [], additionals: more = [] } = decode(packet);
    // Other characters would not survive the way through a string.
    if (question === undefined || !/^[\x21-\x7e]+$/.test(question.name)) return 'FORMERR';
    if ((question.class ?? 'IN') !== 'IN') return 'NOTIMP';
    const edns = more.find(({ type }) => type === 'OPT') as { readonly udpPayloadSize?: number } | undefined;
    const sizeMax = Math.min(ANSWER_BYTES_MAX, Math.max(PLAIN_BYTES, edns?.udpPayloadSize ?? PLAIN_BYTES));
    const { name, type } = question;
    return { id, isRecursionDesired, name, type, sizeMax, hasEdns: edns !== undefined };
  } catch {
    return 'FORMERR';
  }
}

/** The parts of an answer. */
interface DnsAnswerParts {
  readonly rcode: Rcode;
  readonly answers: readonly Answer[];
  readonly authorities: readonly Answer[];
  readonly additionals: readonly Answer[];
}

/**
 * Writes an answer.
 * @param sizeMax the answer is cut to this size, and marked as truncated
 */
export function writeAnswer(question: DnsQuestion, parts: DnsAnswerParts, sizeMax: number): Buffer {
  const { id, name, type, hasEdns, isRecursionDesired } = question;
  const edns: Answer = { name: '.', type: 'OPT', udpPayloadSize: ANSWER_BYTES_MAX, flags: 0, options: [] } as never;
  const flags =
    AUTHORITATIVE_ANSWER | RECURSION_AVAILABLE | (isRecursionDesired ? RECURSION_DESIRED : 0) | RCODES[parts.rcode];
  const whole = {
    type: 'response',
    id,
    flags,
    questions: [{ name, type }],
    answers: [...parts.answers],
    authorities: [...parts.authorities],
    additionals: [...parts.additionals, ...(hasEdns ? [edns] : [])],
  } satisfies Packet;
  const isTooLong = (): boolean => encodingLength(whole) > sizeMax;
  if (isTooLong()) whole.additionals = hasEdns ? [edns] : [];
  while (isTooLong() && whole.answers.length > 0) {
    whole.flags |= TRUNCATED_RESPONSE;
    // Replies longer than this have hundreds of records.
    whole.answers.length -= Math.ceil(whole.answers.length / 8);
  }
  return encode(whole);
}

/** Refuses a packet that has a header. */
export function writeRefusal(packet: Buffer, rcode: Rcode): Buffer {
  const refusal = Buffer.alloc(HEADER_BYTES);
  packet.copy(refusal, 0, 0, 4);
  refusal.writeUInt16BE(((packet.readUInt16BE(2) & 0x79_00) | RESPONSE | RCODES[rcode]) >>> 0, 2);
  return refusal;
}

/** The records of an answer of another server. */
export function readAnswers(packet: Buffer): Answer[] {
  if (packet.length > ANSWER_BYTES_MAX) return [];
  try {
    return decode(packet).answers ?? [];
  } catch {
    return [];
  }
}

/** Writes a question of podrun's own. */
export function writeQuestion({ name, type }: Pick<DnsQuestion, 'name' | 'type'>): Buffer {
  return encode({ type: 'query', id: 0, flags: RECURSION_DESIRED, questions: [{ name, type }] });
}

/** True for an answer that is only whole over TCP. */
export function isTruncated(packet: Buffer): boolean {
  return (packet.readUInt16BE(2) & TRUNCATED_RESPONSE) !== 0;
}

/** True for an answer of a server that cannot answer, while another one may. */
export function isFailure(packet: Buffer): boolean {
  const rcode = packet.readUInt16BE(2) & 0xf;
  return rcode === RCODES.SERVFAIL || rcode === REFUSED;
}

const REFUSED = 5;

/** True when a packet is an answer to the question of another one, whatever their ids. */
export function isReplyTo(packet: Buffer, question: Buffer): boolean {
  if (packet.length < HEADER_BYTES || (packet.readUInt16BE(2) & RESPONSE) === 0) return false;
  // A refusal may come without the question.
  if (packet.readUInt16BE(4) === 0) return true;
  const end = questionEnd(question);
  return packet.subarray(HEADER_BYTES, end).equals(question.subarray(HEADER_BYTES, end));
}

/** The place behind the question of a packet that `readQuestion` has accepted. */
function questionEnd(packet: Buffer): number {
  let at = HEADER_BYTES;
  while ((packet[at] ?? 0) !== 0) at += (packet[at] ?? 0) + 1;
  return at + 5;
}

const LENGTH_BYTES = 2;

/**
 * Reads the packets of a connection: each comes behind its length. At most one packet is kept, of 64 KiB.
 * @param onPacket the connection is read no further until the promise resolves
 */
export function inFrames(socket: Socket, onPacket: (packet: Buffer) => Promise<void> | void): void {
  let rest: Buffer = Buffer.alloc(0);
  let isBusy = false;
  const read = async (): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    for (let length = wholeLength(rest); length !== undefined && !socket.destroyed; length = wholeLength(rest)) {
      const packet = rest.subarray(LENGTH_BYTES, length);
      rest = rest.subarray(length);
      await onPacket(packet);
    }
    isBusy = false;
    socket.resume();
  };
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    socket.pause();
    inBackground(read(), socket);
  });
}

/** Writes a packet behind its length. */
export function writeFrame(socket: Socket, packet: Buffer): void {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(packet.length);
  socket.write(Buffer.concat([length, packet]));
}

/** The length of the first packet with its length prefix. Undefined: the packet is incomplete. */
function wholeLength(bytes: Buffer): number | undefined {
  if (bytes.length < LENGTH_BYTES) return undefined;
  const length = LENGTH_BYTES + bytes.readUInt16BE(0);
  return bytes.length < length ? undefined : length;
}
