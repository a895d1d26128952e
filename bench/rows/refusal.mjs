// The proxy of Services, when the last endpoint of one has gone: clients are refused.

import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { startHelper } from '../harness/network-helper.mjs';
import { samplesOf } from '../harness/samples.mjs';

const ROUNDS = 20;
const ADDRESS = '127.0.0.1';

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun }) {
  const helper = startHelper(podrun.root);
  const server = createServer((socket) => socket.on('error', () => undefined));
  await once(server.listen(0, ADDRESS), 'listening');
  const port = await freePort();
  const place = { protocol: 'TCP', network: 'pods', address: ADDRESS, port, service: 'default/web:80' };
  const serve = (endpoints) =>
    helper.ask({ type: 'services', listeners: [{ ...place, endpoints, affinitySeconds: undefined }] });
  try {
    const times = [];
    for (let round = 0; round < ROUNDS; round++) {
      await serve([{ address: ADDRESS, port: server.address().port }]);
      if (await isRefused(port)) throw new Error('the Service is not served');
      const beganMs = performance.now();
      const refusal = serve([]);
      while (!(await isRefused(port)));
      times.push(performance.now() - beganMs);
      await refusal;
    }
    return [
      {
        name: 'refusal.last-endpoint',
        what: 'from the news that a Service has no endpoint any more to the first client that is refused',
        unit: 'ms',
        better: 'less',
        podrun: samplesOf(times),
        promises: [{ atMost: 20 }],
      },
    ];
  } finally {
    helper.close();
    server.close();
  }
}

function isRefused(port) {
  return new Promise((resolve) => {
    const socket = connect({ host: ADDRESS, port });
    socket.once('error', () => resolve(true));
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
  });
}

async function freePort() {
  const server = createServer();
  await once(server.listen(0, ADDRESS), 'listening');
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
