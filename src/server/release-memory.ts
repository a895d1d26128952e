import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Alarm, type Clock, nextEventLoopTurn } from '../clock.ts';
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
 * of a large response, hundreds of megabytes would stay until then.
 */
export function releaseMemory(clock: Clock): Subscription {
  const collect = collector();
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
      collect();
      againMs = isWorth ? monotonicMs + AGAIN_MS : Infinity;
      least = before = memoryUse();
    } else {
      // V8 may have collected by itself.
      least = { held: Math.min(least.held, now.held), used: Math.min(least.used, now.used) };
      before = now;
    }
    usedCpuMs = cpuMs();
    alarm = clock.wakeAt(monotonicMs + LOOK_MS, look);
  };
  alarm = clock.wakeAt(clock.now().monotonicMs + LOOK_MS, look);
  return { close: () => alarm.cancel() };
}

/** Collects all garbage, and gives the system the pages back that have little else in them. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as (options?: object) => void;
  setFlagsFromString('--no-expose-gc');
  if (!process.versions.node.startsWith('20.')) return () => gc({ type: 'major', flavor: 'last-resort' });
  // V8 of Node.js 20 knows no flavor. Its third collection in a row gives the pages back.
  const collect = (times: number): void => {
    gc();
    if (times > 1) nextEventLoopTurn(() => collect(times - 1));
  };
  return () => collect(3);
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
