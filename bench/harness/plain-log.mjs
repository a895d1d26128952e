// The floor of a log: plain JavaScript that reads the output of a program and writes it as lines of a container log,
// with one write for each chunk. Prints its wall-clock time in milliseconds, and its own processor time in seconds.
//
//   node plain-log.mjs LOG PROGRAM ARGS...

import { spawn } from 'node:child_process';
import { openSync, writeSync } from 'node:fs';

const [log, program, ...args] = process.argv.slice(2);
const file = openSync(log, 'a');
const beganMs = performance.now();
const { stdout } = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
stdout.on('data', (chunk) => {
  const head = `${new Date().toISOString().replace('Z', '000000Z')} stdout F `;
  const records = head + chunk.latin1Slice().replaceAll('\n', `\n${head}`);
  writeSync(file, Buffer.from(records, 'latin1'));
});
stdout.on('close', () => {
  const { user, system } = process.cpuUsage();
  process.stdout.write(`${performance.now() - beganMs} ${(user + system) / 1e6}\n`);
});
