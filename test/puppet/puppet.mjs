// A container program that does what a test tells it to, when the test tells it to: so that tests order events and
// never guess how long something takes.
//
//   command: [node, test/puppet/puppet.mjs, SOCKET, NAME]
//
// It connects to the test's socket, says who it is, and then takes one JSON command per line.

import { createServer } from 'node:http';
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';

const [socketPath, name] = process.argv.slice(2);
const socket = createConnection(socketPath);
const tell = (message) => socket.write(`${JSON.stringify(message)}\n`);

const actions = {
  exit: (code) => process.exit(code),
  print: (text) => process.stdout.write(text),
  /** From now on the signal is told to the test and does nothing else. */
  catch: (signal) => {
    process.on(signal, () => tell({ signal }));
    tell({ catching: signal });
  },
  /** Answers HTTP requests with its name; says where it listens, or why it cannot. */
  listen: (where) => {
    const server = createServer((_, response) => response.end(name));
    server.once('error', ({ code }) => tell({ listening: code }));
    server.listen(where, () => tell({ listening: server.address() }));
  },
};

socket.on('connect', () => tell({ name, pid: process.pid, env: process.env, cwd: process.cwd() }));
// The test is gone: nobody will ever pull the strings again.
socket.on('close', () => process.exit(99));
for await (const line of createInterface({ input: socket })) {
  const { action, argument } = JSON.parse(line);
  actions[action](argument);
}
