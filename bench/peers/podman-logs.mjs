// Runs containers with the same output in podman. Its log driver k8s-file writes the same format.

import { execFileSync, spawnSync } from 'node:child_process';
import { COPY_BYTES, printing } from '../harness/lines.mjs';

const READ = 'bench-read';
const WRITE = 'bench-write';
const MOUNTED = '/tmp/lines';

/**
 * @param {import('./podman.mjs').Podman} podman
 * @param {{ lines: string, copies: number }} load
 * @param {number} readCopies  number of copies to read back
 */
export function podmanLogs(podman, { lines, copies }, readCopies) {
  const call = (...args) => {
    const [program, ...rest] = podman.command(...args);
    return execFileSync(program, rest, { env: podman.env, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 1 << 30 });
  };
  const printed = (name, command) => {
    const flags = ['--detach', '--network', 'host', '--log-driver', 'k8s-file', '--volume', `${lines}:${MOUNTED}:ro`];
    call('run', '--name', name, ...flags, podman.image, ...command);
    call('wait', name);
  };
  const timed = (command) => {
    const beganMs = performance.now();
    printed(WRITE, command);
    const tookMs = performance.now() - beganMs;
    call('rm', '--force', WRITE);
    return tookMs;
  };
  printed(READ, printing(MOUNTED, readCopies));
  return {
    write: () => {
      const ms = timed(printing(MOUNTED, copies)) - timed(['true']);
      return { rate: (copies * COPY_BYTES) / 1e3 / ms };
    },
    read: () => {
      const beganMs = performance.now();
      const { length } = call('logs', READ);
      return { rate: length / 1e3 / (performance.now() - beganMs) };
    },
    end: () => {
      for (const name of [READ, WRITE]) {
        const [program, ...rest] = podman.command('rm', '--force', name);
        spawnSync(program, rest, { env: podman.env, stdio: 'ignore' });
      }
    },
  };
}
