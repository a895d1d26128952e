// What a start of podrun costs, as a multiple of a start of Node that does nothing. The commands take turns, so that a
// busy moment of the machine hits all of them, and medians are compared.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROUNDS = 31;
const PODRUN = fileURLToPath(new URL('../bin/podrun.js', import.meta.url));
const POD = `
apiVersion: v1
kind: Pod
metadata: { name: bench }
spec:
  restartPolicy: Never
  containers: [{ name: main, image: busybox, command: ['true'] }]
`;

/** @returns {Promise<Array<{ what: string, value: number, unit: string, bar: number, detail: string }>>} */
export async function coldStart() {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-bench-'));
  const manifest = path.join(folder, 'pod.yaml');
  writeFileSync(manifest, POD);
  const commands = {
    bare: ['-e', '0'],
    version: [PODRUN, 'version'],
    apply: [PODRUN, 'apply', manifest, '--state-dir', path.join(folder, 'state')],
  };
  try {
    const medians = mediansOf(commands);
    const row = (name, what, bar) => ({
      what: `${what} / node -e 0`,
      value: medians[name] / medians.bare,
      unit: ' x',
      bar,
      detail: `${medians[name].toFixed(1)} ms / ${medians.bare.toFixed(1)} ms`,
    });
    return [row('version', 'podrun version', 1.4), row('apply', 'podrun apply of a container running true', 2.2)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Median milliseconds of each command, arguments of Node. The first round warms the caches and does not count. */
function mediansOf(commands) {
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
