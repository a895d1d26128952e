// Commands take turns, so that a busy moment of the machine hits all of them, and medians are compared.

import { spawnSync } from 'node:child_process';

const ROUNDS = 31;

/** Median milliseconds of each command, arguments of Node. The first round warms the caches and does not count. */
export function mediansOf(commands) {
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, args] of Object.entries(commands)) {
      const begin = performance.now();
      const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
      const tookMs = performance.now() - begin;
      if (status !== 0) throw new Error(`${name} exited with ${status}: ${stderr}`);
      if (round > 0) times[name].push(tookMs);
    }
  }
  const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
}
