import { Session } from 'node:inspector';
import { getHeapStatistics } from 'node:v8';
import type { Alarm, Clock } from '../clock.ts';
import type { Subscription } from '../store/index.ts';

/** The time between two looks. */
const LOOK_MS = 10_000;
/** A collection has a second one after this time: changes that the server keeps for a while are forgotten by then. */
const AGAIN_MS = 30_000;
/** A server whose objects in memory changed by less than this since the last look is idle. */
const IDLE_BYTES = 8 * 1024 * 1024;
/** One that has used more processor time since then is not: a collection would hold its work up. */
const IDLE_CPU_MS = LOOK_MS / 5;
/** A collection pays when the heap is larger, or has more in use, by this than after the last one. */
const WORTH_BYTES = 24 * 1024 * 1024;

/** Bytes that V8 has from the system, and the bytes in use of them. */
interface MemoryUse {
  readonly held: number;
  readonly used: number;
}

/**
 * Collects garbage while the server is idle. V8 does it when something is allocated: of what clients have deleted, or
 * of a large response, hundreds of megabytes would stay until then. A collection for the inspector is one as for a
 * system that lacks memory: it moves what is left together, and gives the rest of the memory back.
 */
export function releaseMemory(clock: Clock): Subscription {
  const session = new Session();
  session.connect();
  // The objects that were read at the start have left garbage behind.
  let least: MemoryUse = { held: 0, used: 0 };
  let before = memoryUse();
  let usedCpuMs = cpuMs();
  let againMs = Infinity;
  let alarm: Alarm;
  const look = (): void => {
    const now = memoryUse();
    const { monotonicMs } = clock.now();
    const isIdle = Math.abs(now.used - before.used) < IDLE_BYTES && cpuMs() - usedCpuMs < IDLE_CPU_MS;
    const isWorth = now.held > least.held + WORTH_BYTES || now.used > least.used + WORTH_BYTES;
    if (isIdle && (isWorth || monotonicMs >= againMs)) {
      // It takes place in a turn of its own.
      session.post('HeapProfiler.collectGarbage', () => (least = before = memoryUse()));
      againMs = isWorth ? monotonicMs + AGAIN_MS : Infinity;
    } else {
      // V8 may have collected by itself.
      least = { held: Math.min(least.held, now.held), used: Math.min(least.used, now.used) };
      before = now;
    }
    usedCpuMs = cpuMs();
    alarm = clock.wakeAt(monotonicMs + LOOK_MS, look);
  };
  alarm = clock.wakeAt(clock.now().monotonicMs + LOOK_MS, look);
  const close = (): void => {
    alarm.cancel();
    session.disconnect();
  };
  return { close };
}

/** The processor time of this process so far. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function memoryUse(): MemoryUse {
  const { total_physical_size: heap, external_memory: outside, used_heap_size: used } = getHeapStatistics();
  return { held: heap + outside, used };
}
