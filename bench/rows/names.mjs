// Questions to the DNS server of a cluster, 1,000 a second: about a Service, and about another name, which it passes on
// to a name server of this machine. The floor of the latter is a question to that server itself.

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { startHelper } from '../harness/network-helper.mjs';
import { quantile, samplesOf } from '../harness/samples.mjs';

const RATE = 1000;
const NAME = 'web.default.svc.cluster.local';
const OTHER = 'www.example.org';
const ADDRESS = '127.0.0.1';
/** podrun's server listens at this port here. */
const PORT = 5353;
/** A header without its id, for one question, and the end of a question for an address. */
const QUESTION = Buffer.from([0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
const FOR_ADDRESS = Buffer.from([0, 0, 1, 0, 1]);

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, isFast }) {
  const seconds = isFast ? 2 : 5;
  const rounds = isFast ? 3 : 5;
  const upstream = await dnsServer();
  const helper = startHelper(podrun.root);
  try {
    const names = [{ name: NAME, records: [{ type: 'A', data: '10.96.1.2' }] }];
    await helper.ask({ type: 'names', names, at: { address: ADDRESS, port: PORT } });
    const server = { address: ADDRESS, port: upstream.address().port };
    const socket = createSocket('udp4');
    socket.bind(0, ADDRESS);
    await once(socket, 'listening');
    await helper.ask({ type: 'nameServer', server }, socket);
    const [own, forwarded, direct] = [[], [], []];
    // The first questions run code that V8 has not compiled yet.
    for (const name of [NAME, OTHER]) await late(PORT, name, 1);
    for (let round = 0; round < rounds; round++) {
      own.push(await late(PORT, NAME, seconds));
      forwarded.push(await late(PORT, OTHER, seconds));
      direct.push(await late(server.port, OTHER, seconds));
    }
    const common = { unit: 'ms', better: 'less', floor: samplesOf(direct), floorIs: 'name server' };
    const what = (of) => `the 99th percentile of the time for an answer about ${of}, at ${RATE} questions a second`;
    return [
      { ...common, name: 'names.own-p99', what: what('a Service'), podrun: samplesOf(own), promises: [{ atMost: 5 }] },
      {
        ...common,
        name: 'names.forwarded-p99',
        what: what('another name'),
        podrun: samplesOf(forwarded),
        promises: [{ atMost: 10 }],
      },
    ];
  } finally {
    helper.close();
    upstream.close();
  }
}

/** A name server that has the same answer for each question. */
async function dnsServer() {
  const socket = createSocket('udp4');
  socket.on('message', (packet, { port, address }) => {
    packet.writeUInt16BE(0x81_80, 2);
    socket.send(packet, port, address);
  });
  socket.bind(0, ADDRESS);
  await once(socket, 'listening');
  return socket;
}

/** The 99th percentile, in ms, of the replies within the time. A question without a reply counts as a second. */
async function late(port, name, seconds) {
  const socket = createSocket('udp4');
  const labels = name.split('.').flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]);
  const packet = Buffer.concat([QUESTION, ...labels, FOR_ADDRESS]);
  const total = seconds * RATE;
  const times = Array.from({ length: total }, () => 1000);
  const sent = [];
  let responses = 0;
  const done = new Promise((resolve) => {
    socket.on('message', (answer) => {
      const id = answer.readUInt16BE(0);
      times[id] = performance.now() - sent[id];
      if (++responses === total) resolve();
    });
    setTimeout(resolve, seconds * 1000 + 1000);
  });
  const beganMs = performance.now();
  const timer = setInterval(() => {
    const due = Math.min(total, ((performance.now() - beganMs) / 1000) * RATE);
    while (sent.length < due) {
      packet.writeUInt16BE(sent.length, 0);
      sent.push(performance.now());
      socket.send(Buffer.from(packet), port, ADDRESS);
    }
  }, 1);
  await done;
  clearInterval(timer);
  socket.close();
  return quantile(
    times.toSorted((a, b) => a - b),
    0.99,
  );
}
