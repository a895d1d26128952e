// A container program that obeys a test: so the test decides the order of events and never guesses how long something
// takes.
//
//   command: [node, test/puppet/puppet.mjs, SOCKET, NAME]
//
// The program connects to the socket of the test, sends its name, and then reads one JSON command per line.

import { createServer } from 'node:http';
import { createConnection } from 'node:net';
import { createInterface } from 'node:readline';

const [socketPath, name] = process.argv.slice(2);
const socket = createConnection(socketPath);
const tell = (message) => socket.write(`${JSON.stringify(message)}\n`);

const actions = {
  exit: (code) => process.exit(code),
  print: (text) => process.stdout.write(text),
  /** Reports the signal to the test from now on, without another effect. */
  catch: (signal) => {
    process.on(signal, () => tell({ signal }));
    tell({ catching: signal });
  },
  /** Answers HTTP requests with its name. Reports its address, or the error. */
  listen: (where) => {
    const server = createServer((_, response) => response.end(name));
    server.once('error', ({ code }) => tell({ listening: code }));
    server.listen(where, () => tell({ listening: server.address() }));
  },
};

socket.on('connect', () => tell({ name, pid: process.pid, env: process.env, cwd: process.cwd() }));
// The test is gone: no command can come.
socket.on('close', () => process.exit(99));
for await (const line of createInterface({ input: socket })) {
  const { action, argument } = JSON.parse(line);
  actions[action](argument);
}
