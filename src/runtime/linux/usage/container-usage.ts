import { cpus, totalmem } from 'node:os';
import { type Clock, sleep } from '../../../clock.ts';
import type { ProcessIdentity } from '../../watch/process-identity.ts';
import { listProcesses } from '../../watch/process-table.ts';
import { processesByContainer } from '../../watch/sweeper.ts';
import { groupUsage } from '../cgroup/cgroup-usage.ts';
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
const WINDOW_MS = 500;

/** One look at a container: what its processes have used since it began, with ended ones, and the memory they have. */
export interface ContainerLook {
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

/** Measures containers for half a second, see lookAtContainers. A container that ends meanwhile is left out. */
export async function measureContainers(
  containers: readonly MeasuredContainer[],
  clock: Clock,
): Promise<Map<string, Usage>> {
  if (containers.length === 0) return new Map();
  const before = await lookAtContainers(containers, clock);
  const startMs = clock.now().monotonicMs;
  await sleep(clock, WINDOW_MS);
  const after = await lookAtContainers(containers, clock);
  const windowSeconds = (clock.now().monotonicMs - startMs) / 1000;
  const usages = new Map<string, Usage>();
  for (const [id, look] of after) {
    const first = before.get(id);
    if (first === undefined) continue;
    usages.set(id, { cpuMillis: cpuMillisBetween(first, look, windowSeconds), memoryBytes: look.memoryBytes });
  }
  return usages;
}

/** The use between two looks in thousandths of a CPU. A process that hid its time on its end takes nothing back. */
export function cpuMillisBetween(before: ContainerLook, after: ContainerLook, seconds: number): number {
  return (Math.max(0, after.cpuSeconds - before.cpuSeconds) * 1000) / seconds;
}

/**
 * Reads the counters of containers by id: of their cgroups, or else the sum over the main process's group, the
 * processes with the container's mark, and their descendants. Leaves out containers without processes.
 */
export async function lookAtContainers(
  containers: readonly MeasuredContainer[],
  clock: Clock,
): Promise<Map<string, ContainerLook>> {
  const looks = new Map<string, ContainerLook>();
  for (const { id, cgroups = [] } of containers) {
    const usage = groupUsage(cgroups);
    if (usage !== undefined) looks.set(id, usage);
  }
  const targets = containers.flatMap(({ id, main }) => (looks.has(id) ? [] : [{ id, leader: main }]));
  if (targets.length === 0) return looks;
  const members = processesByContainer(targets, await listProcesses(clock));
  const usages = await usageOfProcesses([...members.values()].flat().map(({ pid }) => pid));
  for (const target of targets) {
    const own = (members.get(target) ?? []).flatMap(({ pid }) => usages.get(pid) ?? []);
    if (own.length > 0) looks.set(target.id, sum(own));
  }
  return looks;
}

function sum(usages: readonly ProcessUsage[]): ContainerLook {
  return {
    cpuSeconds: usages.reduce((total, { cpuSeconds }) => total + cpuSeconds, 0),
    memoryBytes: usages.reduce((total, { memoryBytes }) => total + memoryBytes, 0),
  };
}

/** Measures the CPU and the memory that all programs of this machine use, for half a second. */
export async function measureMachine(clock: Clock): Promise<Usage> {
  const before = lookAtMachine();
  const startMs = clock.now().monotonicMs;
  await sleep(clock, WINDOW_MS);
  const after = lookAtMachine();
  const windowSeconds = (clock.now().monotonicMs - startMs) / 1000;
  return { cpuMillis: cpuMillisBetween(before, after, windowSeconds), memoryBytes: after.memoryBytes };
}

/** Reads the counters of this machine: the time that its CPUs have worked since the boot, and the memory in use. */
export function lookAtMachine(): ContainerLook {
  const limit = process.constrainedMemory();
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return { cpuSeconds: busyMs() / 1000, memoryBytes: Math.max(0, memory - process.availableMemory()) };
}

/** The time that the CPUs have worked since the boot, in milliseconds. */
function busyMs(): number {
  return cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0);
}
