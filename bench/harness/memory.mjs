import { getHeapSpaceStatistics } from 'node:v8';

/**
 * What this process has of memory, in bytes: `rss` is resident, `kept` is in use. What V8 compiles in the course of
 * time is not kept of any Pod. Needs --expose-gc.
 */
export function memory() {
  for (let times = 0; times < 3; times++) globalThis.gc();
  const { rss, external } = process.memoryUsage();
  const spaces = getHeapSpaceStatistics().filter(({ space_name: name }) => !name.startsWith('code'));
  const used = spaces.reduce((sum, { space_used_size: bytes }) => sum + bytes, 0);
  return { rss, kept: used + external };
}
