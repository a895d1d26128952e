import { getHeapSpaceStatistics } from 'node:v8';

/**
 * The memory of this process in bytes: `rss` is resident, `kept` is in use. `kept` leaves out compiled code, which
 * grows over time without Pods. Needs --expose-gc.
 */
export function memory() {
  for (let times = 0; times < 3; times++) globalThis.gc();
  const { rss, external } = process.memoryUsage();
  const spaces = getHeapSpaceStatistics().filter(({ space_name: name }) => !name.startsWith('code'));
  const used = spaces.reduce((sum, { space_used_size: bytes }) => sum + bytes, 0);
  return { rss, kept: used + external };
}
