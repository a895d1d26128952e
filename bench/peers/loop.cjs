// The least that runs processes from Node: what podrun would be without Pods. Started as
//
//   node loop.cjs all|ordered ARGV…      each ARGV a JSON array; all at once, or each after the end of the one before
//
// It shows what they write, passes SIGTERM on, and ends when all have ended.
'use strict';

const { spawn } = require('node:child_process');

const [how, ...lines] = process.argv.slice(2);
const left = lines.map((line) => JSON.parse(line));
const running = new Set();

function startNext() {
  const [program, ...args] = left.shift();
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.stdout.on('data', (text) => process.stdout.write(text));
  child.stderr.on('data', (text) => process.stderr.write(text));
  child.once('exit', () => {
    running.delete(child);
    if (how === 'ordered' && left.length > 0) startNext();
  });
}

process.on('SIGTERM', () => {
  for (const child of running) child.kill();
});
if (how === 'ordered') startNext();
else while (left.length > 0) startNext();
