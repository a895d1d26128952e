// Responds to probes: TCP connections at one port, HTTP requests at another. Prints both ports.

import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';

const BACKLOG = 4096;
const tcp = createServer((socket) => socket.on('error', () => undefined).end());
const http = createHttpServer((_, response) => response.end('ok'));
await Promise.all(
  [tcp, http].map((one) => new Promise((resolve) => one.listen({ port: 0, backlog: BACKLOG }, resolve))),
);
process.send({ tcp: tcp.address().port, http: http.address().port });
