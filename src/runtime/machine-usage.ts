import { cpus, totalmem } from 'node:os';
import { type Clock, sleep } from '../clock.ts';
import { type Usage, WINDOW_MS } from './linux/usage/container-usage.ts';

/** Measures the CPU and the memory that all programs of this machine use, for half a second. */
export async function measureMachine(clock: Clock): Promise<Usage> {
  const busyBeforeMs = busyMs();
  const startMs = clock.now().monotonicMs;
  await sleep(clock, WINDOW_MS);
  const windowMs = clock.now().monotonicMs - startMs;
  const limit = process.constrainedMemory();
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return {
    cpuMillis: (Math.max(0, busyMs() - busyBeforeMs) * 1000) / windowMs,
    memoryBytes: Math.max(0, memory - process.availableMemory()),
  };
}

/** The time that the CPUs have worked since the boot, in milliseconds. */
function busyMs(): number {
  return cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
}
