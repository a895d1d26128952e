// A process of its own: asks `/readyz` of a server every 10 ms, whether the last answer is here or not. It begins with
// the message `{ server, ca }`; at the message `end`, it reports how long each answer took, in milliseconds.

import { Agent, request } from 'node:https';

const PERIOD_MS = 10;
/**
 * The server sees few connections, as a client with keep-alive has them: all are open before the measurement begins.
 * Requests wait for one while the server is busy.
 */
const CONNECTIONS = 32;

// The process that started this one may be killed.
process.once('disconnect', () => process.exit(1));

const tookMs = [];
let open = 0;

process.once('message', (address) => void probe(address));

async function probe({ server, ca }) {
  const agent = new Agent({ ca, keepAlive: true, maxSockets: CONNECTIONS });
  const ask = () =>
    new Promise((resolve) => {
      request(`${server}/readyz`, { agent }, (response) => response.resume().on('end', resolve))
        .on('error', resolve)
        .end();
    });
  const measure = async () => {
    const beganMs = performance.now();
    open += 1;
    await ask();
    open -= 1;
    tookMs.push(performance.now() - beganMs);
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  const timer = setInterval(() => void measure(), PERIOD_MS);
  process.once('message', () => {
    clearInterval(timer);
    // Requests that are open now are over when the server has responded to them.
    const report = () => (open > 0 ? setTimeout(report, PERIOD_MS) : process.send(tookMs, () => process.exit(0)));
    report();
  });
  process.send('begun');
}
