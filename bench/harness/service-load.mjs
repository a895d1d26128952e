// The programs of the two Pods of the row service-proxy: `node service-load.mjs server`, and, as a client,
// `node service-load.mjs connections|stream HOST`, which prints requests, or megabytes, in a second.

import { createServer, get } from 'node:http';
import { connect, createServer as createStreamServer } from 'node:net';

const HTTP_PORT = 8080;
const STREAM_PORT = 8081;
const MEASURED_MS = 2000;
const CLIENTS = 8;
const BLOCK = Buffer.alloc(256 * 1024);

const TASKS = { server, connections, stream };
const [task, host] = process.argv.slice(2);
await TASKS[task]();

function server() {
  createServer((_, response) => response.end('hello')).listen(HTTP_PORT);
  createStreamServer((socket) => {
    const fill = () => {
      while (socket.write(BLOCK));
    };
    socket.on('drain', fill).on('error', () => undefined);
    fill();
  }).listen(STREAM_PORT);
}

/** Requests, each on a connection of its own. */
async function connections() {
  let count = 0;
  const endMs = performance.now() + MEASURED_MS;
  const one = () =>
    new Promise((resolve, reject) => {
      const asked = get({ host, port: HTTP_PORT, agent: false }, (response) => response.resume().on('end', resolve));
      asked.on('error', reject);
    });
  const client = async () => {
    for (; performance.now() < endMs; count++) await one();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  console.log((count / MEASURED_MS) * 1000);
}

/** One stream of bytes. */
async function stream() {
  let bytes = 0;
  const socket = connect({ host, port: STREAM_PORT }).on('data', (data) => (bytes += data.length));
  await new Promise((resolve) => setTimeout(resolve, MEASURED_MS));
  socket.destroy();
  console.log(bytes / 1e6 / (MEASURED_MS / 1000));
}
