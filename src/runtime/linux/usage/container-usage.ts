import { type Clock, sleep } from '../../../clock.ts';
import { groupUsage } from '../cgroup/cgroup-usage.ts';
import type { ProcessIdentity } from '../../watch/process-identity.ts';
import { listProcesses } from '../../watch/process-table.ts';
import { processesByContainer } from '../../watch/sweeper.ts';
import { type ProcessUsage, usageOfProcesses } from './process-usage.ts';

/** A running container of any podrun. */
export interface MeasuredContainer {
  readonly id: string;
  readonly main: ProcessIdentity;
  /** The folders of its cgroups, if any. */
  readonly cgroups?: readonly string[];
}

/** The current usage of a container. */
export interface Usage {
  /** Thousandths of a CPU, averaged over the measurement. */
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

/** The time of a measurement: long enough for CPU times in hundredths of a second, short enough for a waiting user. */
export const WINDOW_MS = 500;

/** One look at a container: seconds of CPU by process, and the memory of all. */
interface Look {
  readonly cpuSeconds: ReadonlyMap<string, number>;
  readonly memoryBytes: number;
}

/**
 * Measures containers for half a second: by their cgroups, or else as the sum over the main process's group, the
 * processes with the container's mark, and their descendants. A container that ends meanwhile is left out.
 */
export async function measureContainers(
  containers: readonly MeasuredContainer[],
  clock: Clock,
): Promise<Map<string, Usage>> {
  if (containers.length === 0) return new Map();
  const before = await lookAt(containers, clock);
  const startMs = clock.now().monotonicMs;
  await sleep(clock, WINDOW_MS);
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
  const looks = new Map<string, Look>();
  for (const { id, cgroups = [] } of containers) {
    const usage = groupUsage(cgroups);
    if (usage === undefined) continue;
    looks.set(id, { cpuSeconds: new Map([['group', usage.cpuSeconds]]), memoryBytes: usage.memoryBytes });
  }
  const targets = containers.flatMap(({ id, main }) => (looks.has(id) ? [] : [{ id, leader: main }]));
  if (targets.length === 0) return looks;
  const members = processesByContainer(targets, await listProcesses(clock));
  const usages = await usageOfProcesses([...members.values()].flat().map(({ pid }) => pid));
  for (const target of targets) {
    const memberUsages = (members.get(target) ?? []).flatMap((member): Array<[string, ProcessUsage]> => {
      const usage = usages.get(member.pid);
      return usage === undefined ? [] : [[`${member.pid} ${member.startTime}`, usage]];
    });
    if (memberUsages.length > 0) looks.set(target.id, sum(memberUsages));
  }
  return looks;
}

function sum(usages: ReadonlyArray<[string, ProcessUsage]>): Look {
  return {
    cpuSeconds: new Map(usages.map(([key, { cpuSeconds }]) => [key, cpuSeconds])),
    memoryBytes: usages.reduce((total, [, { memoryBytes }]) => total + memoryBytes, 0),
  };
}
