import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { type Answer, decode, encode, type Packet, TRUNCATED_RESPONSE } from 'dns-packet';
import * as fc from 'fast-check';
import { describe, expect, it, type TestContext } from 'vitest';
import { SystemClock } from '../../../src/clock.ts';
import { DnsServer } from '../../../src/network/dns/dns-server.ts';
import { dialServer, type NameServer, openSocket } from '../../../src/network/dns/forwarder.ts';
import { inFrames, writeFrame } from '../../../src/network/dns/message.ts';
import type { DnsName } from '../../../src/network/dns/names.ts';

const clock = new SystemClock();
const many = (count: number): DnsName => {
  const records = Array.from({ length: count }, (_, index) => ({ type: 'A', data: `10.93.1.${index + 1}` }) as const);
  return { name: 'many.default.svc.cluster.local', records };
};
const NAMES: readonly DnsName[] = [
  { name: 'web.default.svc.cluster.local', records: [{ type: 'A', data: '10.96.1.2' }] },
  { name: 'out.default.svc.cluster.local', records: [{ type: 'CNAME', data: 'www.example.org' }] },
  { name: 'in.default.svc.cluster.local', records: [{ type: 'CNAME', data: 'web.default.svc.cluster.local' }] },
  { name: 'loop.default.svc.cluster.local', records: [{ type: 'CNAME', data: 'loop.default.svc.cluster.local' }] },
  many(100),
];

function serverFor({ onTestFinished }: TestContext): DnsServer {
  const server = new DnsServer(clock, dialServer);
  onTestFinished(() => server.close());
  server.update(NAMES);
  return server;
}

const question = (name: string, more: Partial<Packet> = {}): Buffer =>
  encode({ type: 'query', id: 77, flags: 0x1_00, questions: [{ name, type: 'A' }], ...more });
const withEdns = (size: number): Partial<Packet> => {
  const edns = { name: '.', type: 'OPT', udpPayloadSize: size, flags: 0, options: [] } as unknown as Answer;
  return { additionals: [edns] };
};

/** Answers with the code and the data of an answer's records. */
async function ask(server: DnsServer, packet: Buffer, via: 'udp' | 'tcp' = 'udp'): Promise<string> {
  const answer = await server.respond(packet, via);
  if (answer === undefined) return 'silence';
  expect(answer.readUInt16BE(0)).toBe(packet.readUInt16BE(0));
  const { rcode, answers = [] } = decode(answer) as ReturnType<typeof decode> & { readonly rcode: string };
  return [
    rcode,
    ...answers.map((each) => ('data' in each && typeof each.data === 'string' ? each.data : each.type)),
  ].join(' ');
}

/** A name server of this machine, which answers each question with what the function says. */
async function upstream(
  { onTestFinished }: TestContext,
  answer: (packet: ReturnType<typeof decode>, via: 'udp' | 'tcp') => Packet | undefined,
): Promise<{ readonly server: NameServer; readonly socket: DatagramSocket }> {
  const tcp = createServer((client) => {
    inFrames(client, (packet) => {
      const question = decode(packet);
      const said = answer(question, 'tcp');
      if (said !== undefined) writeFrame(client, encode({ ...question, type: 'response', ...said }));
    });
  }).listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4').on('message', (packet, from) => {
    const question = decode(packet);
    const said = answer(question, 'udp');
    if (said !== undefined) udp.send(encode({ ...question, type: 'response', ...said }), from.port);
  });
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
  const server = { address: '127.0.0.1', port };
  onTestFinished(() => {
    tcp.close();
    udp.close();
  });
  return { server, socket: await openSocket(server) };
}

const aRecord = (data: string): Answer => ({ type: 'A', name: 'www.example.org', data });

describe('the DNS server', () => {
  it('replies for its own names, and only as long as they exist', async (context) => {
    const server = serverFor(context);
    expect(await ask(server, question('web.default.svc.cluster.local'))).toBe('NOERROR 10.96.1.2');
    expect(await ask(server, question('in.default.svc.cluster.local'))).toBe(
      'NOERROR web.default.svc.cluster.local 10.96.1.2',
    );
    server.update([]);
    expect(await ask(server, question('web.default.svc.cluster.local'))).toBe('NXDOMAIN');
  });

  it('refuses what it does not understand', async (context) => {
    const server = serverFor(context);
    const two = question('', {
      questions: [
        { name: 'a', type: 'A' },
        { name: 'b', type: 'A' },
      ],
    });
    expect(await ask(server, two)).toBe('FORMERR');
    expect(await ask(server, question('a', { flags: 5 << 11 }))).toBe('NOTIMP');
    expect(await ask(server, question('', { questions: [{ name: 'a', type: 'A', class: 'CH' }] }))).toBe('NOTIMP');
    expect(await ask(server, question('a', { type: 'response' }))).toBe('silence');
    expect(await ask(server, question('unknown.example.org'))).toBe('SERVFAIL');
    expect(await ask(server, question('loop.default.svc.cluster.local'))).toContain('NOERROR loop');
    const loop = Buffer.concat([question('').subarray(0, 12), Buffer.from([0xc0, 12, 0, 1, 0, 1])]);
    expect(await ask(server, loop)).toBe('FORMERR');
    expect(await server.respond(question('web.default.svc.cluster.local').subarray(0, 11), 'udp')).toBeUndefined();
  });

  it('survives any packet', async (context) => {
    const server = serverFor(context);
    const valid = question('web.default.svc.cluster.local', withEdns(1232));
    const damaged = fc.tuple(fc.nat(valid.length - 1), fc.nat(255), fc.nat(valid.length)).map(([at, byte, length]) => {
      const packet = Buffer.from(valid);
      packet[at] = byte;
      return packet.subarray(0, length);
    });
    const random = fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes));
    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged, random), async (packet) => {
        const answer = await server.respond(packet, 'udp');
        expect(answer?.subarray(0, 2) ?? packet.subarray(0, 2)).toEqual(packet.subarray(0, 2));
        expect(answer?.length ?? 0).toBeLessThanOrEqual(4096);
      }),
    );
  });

  it('cuts an answer over UDP to the size that the client takes, and none over TCP', async (context) => {
    const server = serverFor(context);
    const name = 'many.default.svc.cluster.local';
    for (const [packet, sizeMax] of [
      [question(name), 512],
      [question(name, withEdns(1232)), 1232],
      [question(name, withEdns(100)), 512],
    ] as const) {
      const answer = (await server.respond(packet, 'udp')) ?? Buffer.alloc(0);
      expect(answer.length).toBeLessThanOrEqual(sizeMax);
      expect(answer.length).toBeGreaterThan(sizeMax * 0.7);
      expect(answer.readUInt16BE(2) & TRUNCATED_RESPONSE).not.toBe(0);
    }
    const whole = decode((await server.respond(question(name), 'tcp')) ?? Buffer.alloc(0));
    expect([whole.answers?.length, whole.flag_tc]).toEqual([100, false]);
  });

  it('listens over UDP and TCP, beside another one', async (context) => {
    const [server, other] = [serverFor(context), serverFor(context)];
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    taken.close();
    await once(taken, 'close');
    await server.open('127.0.0.1', port);
    await other.open('127.0.0.1', port);
    const client = createSocket('udp4');
    context.onTestFinished(() => void client.close());
    const askUdp = async (): Promise<string> => {
      client.send(question('web.default.svc.cluster.local'), port, '127.0.0.1');
      const [answer] = (await once(client, 'message')) as [Buffer];
      return String(decode(answer).answers?.length);
    };
    expect(await askUdp()).toBe('1');
    const socket = connect(port, '127.0.0.1');
    const answered = new Promise<Buffer>((resolve) => inFrames(socket, resolve));
    writeFrame(socket, question('many.default.svc.cluster.local'));
    expect(decode(await answered).answers).toHaveLength(100);
    socket.destroy();
    other.close();
    expect(await askUdp()).toBe('1');
  });

  it('forwards other questions, and gives replies their own ids', async (context) => {
    const server = serverFor(context);
    const { server: at, socket } = await upstream(context, ({ id }) => ({ id, answers: [aRecord('192.0.2.7')] }));
    server.forwarder.add(at, socket);
    expect(await ask(server, question('www.example.org'))).toBe('NOERROR 192.0.2.7');
    expect(await ask(server, question('out.default.svc.cluster.local'))).toBe('NOERROR www.example.org 192.0.2.7');
  });

  it('asks the next server when one fails', async (context) => {
    const server = serverFor(context);
    const broken = await upstream(context, () => ({ flags: 2 }));
    const good = await upstream(context, () => ({ answers: [aRecord('192.0.2.8')] }));
    for (const each of [broken, good]) server.forwarder.add(each.server, each.socket);
    expect(await ask(server, question('www.example.org'))).toBe('NOERROR 192.0.2.8');
  });

  it('takes no answer to another question', async (context) => {
    const server = serverFor(context);
    const liar = await upstream(context, () => ({ questions: [{ name: 'bank.example.org', type: 'A' }], answers: [] }));
    server.forwarder.add(liar.server, liar.socket);
    const answer = ask(server, question('www.example.org'));
    server.forwarder.close();
    expect(await answer).toBe('SERVFAIL');
  });

  it('asks over TCP for a client over TCP when an answer is cut', async (context) => {
    const server = serverFor(context);
    const { server: at, socket } = await upstream(context, (_, via) =>
      via === 'udp' ? { flags: TRUNCATED_RESPONSE, answers: [] } : { answers: [aRecord('192.0.2.9')] },
    );
    server.forwarder.add(at, socket);
    expect(await ask(server, question('www.example.org'), 'tcp')).toBe('NOERROR 192.0.2.9');
    expect((await server.respond(question('www.example.org'), 'udp'))?.readUInt16BE(2)).toBe(
      0x80_00 | TRUNCATED_RESPONSE,
    );
  });
});
