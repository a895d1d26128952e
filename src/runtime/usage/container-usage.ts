import type { Clock } from '../../clock.ts';
import type { ProcessIdentity } from '../process-identity.ts';
import { listProcesses } from '../process-table.ts';
import { membersOf, type SweepTarget } from '../sweeper.ts';
import { type ProcessUsage, usageOfProcesses } from './process-usage.ts';

/** A container that runs, whoever has started it. */
export interface MeasuredContainer {
  readonly id: string;
  readonly main: ProcessIdentity;
}

/** What a container takes at the moment. */
export interface Usage {
  /** Thousandths of a CPU, over the time of the measurement. */
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

/** Long enough for times that are counted in hundredths of a second, short enough for who waits. */
const WINDOW_MS = 500;

/** One look at a container: seconds of CPU by process, and the memory of all. */
interface Look {
  readonly cpuSeconds: ReadonlyMap<string, number>;
  readonly memoryBytes: number;
}

/**
 * Measures containers for half a second, as the sum over their processes: those of the main process's group, those
 * that bear the container's mark, and their descendants. One that has ended meanwhile is not in the answer.
 */
export async function measureContainers(
  containers: readonly MeasuredContainer[],
  clock: Clock,
): Promise<Map<string, Usage>> {
  if (containers.length === 0) return new Map();
  const before = await lookAt(containers, clock);
  const startMs = clock.now().monotonicMs;
  await new Promise<void>((resolve) => {
    clock.wakeAt(startMs + WINDOW_MS, resolve);
  });
  const after = await lookAt(containers, clock);
  const windowSeconds = (clock.now().monotonicMs - startMs) / 1000;
  const usages = new Map<string, Usage>();
  for (const [id, { cpuSeconds, memoryBytes }] of after) {
    const first = before.get(id);
    if (first === undefined) continue;
    const spent = [...cpuSeconds].reduce((sum, [key, now]) => sum + now - (first.cpuSeconds.get(key) ?? 0), 0);
    usages.set(id, { cpuMillis: (Math.max(0, spent) * 1000) / windowSeconds, memoryBytes });
  }
  return usages;
}

async function lookAt(containers: readonly MeasuredContainer[], clock: Clock): Promise<Map<string, Look>> {
  const targets = containers.map(({ id, main }): SweepTarget => ({ id, leader: main }));
  const members = membersOf(targets, await listProcesses(clock, 0));
  const usages = await usageOfProcesses([...members.values()].flat().map(({ pid }) => pid));
  return new Map(
    targets.flatMap((target): Array<[string, Look]> => {
      const found = (members.get(target) ?? []).flatMap((member): Array<[string, ProcessUsage]> => {
        const usage = usages.get(member.pid);
        return usage === undefined ? [] : [[`${member.pid} ${member.startTime}`, usage]];
      });
      return found.length === 0 ? [] : [[target.id, sum(found)]];
    }),
  );
}

function sum(usages: ReadonlyArray<[string, ProcessUsage]>): Look {
  return {
    cpuSeconds: new Map(usages.map(([key, { cpuSeconds }]) => [key, cpuSeconds])),
    memoryBytes: usages.reduce((total, [, { memoryBytes }]) => total + memoryBytes, 0),
  };
}
