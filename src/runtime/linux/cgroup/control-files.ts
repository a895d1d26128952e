import type { GroupLimits } from '../../base/confinement.ts';
import type { Controller } from './hierarchy.ts';

/** A control file of a group, and the text to write into it. */
export interface Setting {
  readonly controller: Controller;
  readonly file: string;
  readonly text: string;
  /** True when some kernels lack the file and the limit holds without it. */
  readonly isOptional?: true;
}

/** The period of the CPU quota. Source: pkg/kubelet/cm/helpers_linux.go QuotaPeriod. */
const PERIOD_MICROS = 100_000;
/** The smallest quota that the kernel accepts. */
const QUOTA_MIN_MICROS = 1000;
const SHARES_MIN = 2;
const SHARES_MAX = 262_144;

/**
 * The settings that make the kernel enforce limits, in order: version 1 needs the memory limit before the limit of
 * memory and swap.
 */
export function settingsFor(version: 1 | 2, limits: GroupLimits): Setting[] {
  return version === 1 ? settingsOf1(limits) : settingsOf2(limits);
}

function settingsOf1({ memoryBytes, cpuMillis, cpuRequestMillis, pids }: GroupLimits): Setting[] {
  return [
    ...setting(memoryBytes, (bytes) => [
      { controller: 'memory', file: 'memory.limit_in_bytes', text: String(bytes) },
      { controller: 'memory', file: 'memory.memsw.limit_in_bytes', text: String(bytes), isOptional: true },
    ]),
    ...setting(cpuMillis, (millis) => [
      { controller: 'cpu', file: 'cpu.cfs_period_us', text: String(PERIOD_MICROS) },
      { controller: 'cpu', file: 'cpu.cfs_quota_us', text: String(quotaOf(millis)) },
    ]),
    ...setting(cpuRequestMillis, (millis) => [
      { controller: 'cpu', file: 'cpu.shares', text: String(sharesOf(millis)), isOptional: true },
    ]),
    ...setting(pids, (count) => [{ controller: 'pids', file: 'pids.max', text: String(count) }]),
  ];
}

function settingsOf2({ memoryBytes, cpuMillis, cpuRequestMillis, pids }: GroupLimits): Setting[] {
  return [
    ...setting(memoryBytes, (bytes) => [
      { controller: 'memory', file: 'memory.swap.max', text: '0', isOptional: true },
      { controller: 'memory', file: 'memory.max', text: String(bytes) },
    ]),
    ...setting(cpuMillis, (millis) => [
      { controller: 'cpu', file: 'cpu.max', text: `${quotaOf(millis)} ${PERIOD_MICROS}` },
    ]),
    ...setting(cpuRequestMillis, (millis) => [
      { controller: 'cpu', file: 'cpu.weight', text: String(weightOf(sharesOf(millis))), isOptional: true },
    ]),
    ...setting(pids, (count) => [{ controller: 'pids', file: 'pids.max', text: String(count) }]),
  ];
}

/**
 * Makes the kernel kill all processes of the group when it kills one for lack of memory, as the kubelet does on version
 * 2.
 * Source: pkg/kubelet/kuberuntime/kuberuntime_container_linux.go (memory.oom.group).
 */
export const KILL_AS_GROUP: Setting = {
  controller: 'memory',
  file: 'memory.oom.group',
  text: '1',
  isOptional: true,
};

function setting<T>(value: T | undefined, settings: (value: T) => Setting[]): Setting[] {
  return value === undefined ? [] : settings(value);
}

/** Source: pkg/kubelet/cm/helpers_linux.go MilliCPUToQuota. */
function quotaOf(millis: number): number {
  return Math.max(QUOTA_MIN_MICROS, Math.floor((millis * PERIOD_MICROS) / 1000));
}

/** Source: pkg/kubelet/cm/helpers_linux.go MilliCPUToShares. */
function sharesOf(millis: number): number {
  return Math.min(SHARES_MAX, Math.max(SHARES_MIN, Math.floor((millis * 1024) / 1000)));
}

/**
 * The weight for shares: one CPU has 1024 shares and a weight of 100.
 * Source: opencontainers/cgroups, ConvertCPUSharesToCgroupV2Value.
 */
function weightOf(shares: number): number {
  const log = Math.log2(shares);
  return Math.min(10_000, Math.ceil(10 ** ((log * log + 125 * log) / 612 - 7 / 34)));
}
