// The floor of steady state: a loop that spawns COUNT programs, writes the output of each with the time into a file,
// and probes each program once a second.
//
//   bare-loop.mjs COUNT tcp|http|exec PORT FOLDER SCRIPT

import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { get } from 'node:http';
import { createConnection } from 'node:net';
import path from 'node:path';

const PERIOD_MS = 1000;
const [count, kind, port, folder, script] = process.argv.slice(2);
mkdirSync(folder);
const running = [];
const timers = [];

const probes = {
  tcp() {
    const socket = createConnection(Number(port), '127.0.0.1');
    socket.on('connect', () => socket.destroy()).on('error', () => undefined);
  },
  http() {
    get({ host: '127.0.0.1', port, agent: false }, (answer) => answer.resume()).on('error', () => undefined);
  },
  exec() {
    const child = spawn('true', [], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.resume();
    child.stderr.resume();
  },
};

function start(index) {
  if (index === Number(count)) return;
  const child = spawn('perl', ['-e', script], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  running.push(child);
  const log = openSync(path.join(folder, `${index}.log`), 'a');
  for (const stream of ['stdout', 'stderr']) {
    child[stream].on('data', (chunk) => writeSync(log, `${new Date().toISOString()} ${stream} F ${chunk}`));
  }
  child.on('close', () => closeSync(log));
  timers.push(setInterval(() => probes[kind](), PERIOD_MS));
  process.stdout.write('ready\n');
  setImmediate(start, index + 1);
}

start(0);
process.on('SIGINT', () => {
  for (const timer of timers) clearInterval(timer);
  for (const child of running) child.kill('SIGKILL');
  process.channel?.unref();
});
