import { spawnSync } from 'node:child_process';

/** A start of Node.js takes 25 ms on the machine for which the numbers of places and workers were chosen. */
const SLOW_START_MS = 50;

/**
 * Whether this machine is so slow that fewer tests may run beside each other: those that repeat recordings have to be
 * in time. NODE_EXTRA_CA_CERTS makes each start of Node 20 longer, so it is left out.
 */
export function isSlowMachine(): boolean {
  const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
  const starts = Array.from({ length: 5 }, () => {
    const beginMs = performance.now();
    spawnSync(process.execPath, ['-e', '0'], { env });
    return performance.now() - beginMs;
  });
  return Math.min(...starts) > SLOW_START_MS;
}
