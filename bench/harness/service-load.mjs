// The programs of the rows about Services: `node service-load.mjs server [HOST]`, and, as a client,
// `node service-load.mjs connections HOST PORT` and `node service-load.mjs stream|upload HOST`, which print requests,
// or megabytes, in a second. `node service-load.mjs attempts HOST PORT` connects all the time, and prints changes.

import { createServer, get } from 'node:http';
import { connect, createServer as createStreamServer } from 'node:net';

/**
 * For connections to the Pod itself, and through the Service. The kernel remembers a connection for two minutes: where
 * both lead to one port of one Pod, it has to find other ports for one of them, which takes a second at times.
 */
const HTTP_PORTS = [8080, 8084];
const STREAM_PORT = 8081;
const UPLOAD_PORT = 8082;
const MEASURED_MS = 2000;
const CLIENTS = 8;
const BLOCK = Buffer.alloc(256 * 1024);
const ATTEMPT_EVERY_MS = 2;
/** The time in which an attempt succeeds, if it may: the kernel asks again after a second. */
const ATTEMPT_MS = 300;

const TASKS = { server, connections, stream, upload, attempts };
const [task, host, httpPort] = process.argv.slice(2);
await TASKS[task]();

/** HOST is the address to listen on. Without it: all. */
function server() {
  for (const port of HTTP_PORTS) createServer((_, response) => response.end('hello')).listen(port, host);
  createStreamServer((socket) => writeForEver(socket)).listen(STREAM_PORT, host);
  createStreamServer((socket) => void socket.on('error', () => undefined).resume()).listen(UPLOAD_PORT, host);
}

function writeForEver(socket) {
  const fill = () => {
    while (socket.write(BLOCK));
  };
  socket.on('drain', fill).on('error', () => undefined);
  fill();
}

/** Requests, each on a connection of its own. */
async function connections() {
  let count = 0;
  const endMs = performance.now() + MEASURED_MS;
  const one = () =>
    new Promise((resolve, reject) => {
      const request = get({ host, port: httpPort, agent: false }, (response) => response.resume().on('end', resolve));
      request.on('error', reject);
    });
  const client = async () => {
    for (; performance.now() < endMs; count++) await one();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  console.log((count / MEASURED_MS) * 1000);
}

/** One stream of bytes from the server. */
async function stream() {
  let bytes = 0;
  const socket = connect({ host, port: STREAM_PORT }).on('data', (data) => (bytes += data.length));
  await measured(socket, () => bytes);
}

/** One stream of bytes to the server. */
async function upload() {
  const socket = connect({ host, port: UPLOAD_PORT });
  writeForEver(socket);
  await measured(socket, () => socket.bytesWritten - socket.writableLength);
}

/** Attempts to connect. Prints the time at which an attempt began, and `open` or `closed`, unless it is as before. */
function attempts() {
  const waiting = [];
  let before;
  const tell = () => {
    while (waiting[0]?.outcome !== undefined) {
      const { beganMs, outcome } = waiting.shift();
      if (outcome !== before) console.log(`${beganMs} ${outcome}`);
      before = outcome;
    }
  };
  setInterval(() => {
    const attempt = { beganMs: performance.timeOrigin + performance.now(), outcome: undefined };
    waiting.push(attempt);
    const socket = connect({ host, port: httpPort });
    const decide = (outcome) => {
      attempt.outcome ??= outcome;
      clearTimeout(alarm);
      socket.resetAndDestroy();
      tell();
    };
    const alarm = setTimeout(decide, ATTEMPT_MS, 'closed');
    socket.once('connect', () => decide('open')).once('error', () => decide('closed'));
  }, ATTEMPT_EVERY_MS);
}

async function measured(socket, bytesOf) {
  await new Promise((resolve, reject) => {
    socket.once('error', reject);
    setTimeout(resolve, MEASURED_MS);
  });
  console.log(bytesOf() / 1e6 / (MEASURED_MS / 1000));
  socket.destroy();
}
