import { describe, expect, it } from 'vitest';
import { settingsFor } from '../../../../src/runtime/linux/cgroup/control-files.ts';

const NONE = { memoryBytes: undefined, cpuMillis: undefined, cpuRequestMillis: undefined, pids: undefined };

function written(version: 1 | 2, limits: Partial<Record<keyof typeof NONE, number>>): string[] {
  return settingsFor(version, { ...NONE, ...limits }).map(({ file, text }) => `${file}=${text}`);
}

describe('what is written into control files', () => {
  it('is nothing without limits', () => {
    expect([...written(1, {}), ...written(2, {})]).toEqual([]);
  });

  it.each([
    [1, { memoryBytes: 65536 }, ['memory.limit_in_bytes=65536', 'memory.memsw.limit_in_bytes=65536']],
    [2, { memoryBytes: 65536 }, ['memory.swap.max=0', 'memory.max=65536']],
    [1, { cpuMillis: 250 }, ['cpu.cfs_period_us=100000', 'cpu.cfs_quota_us=25000']],
    [2, { cpuMillis: 2500 }, ['cpu.max=250000 100000']],
    // The kernel refuses a quota below a millisecond.
    [2, { cpuMillis: 1 }, ['cpu.max=1000 100000']],
    [1, { cpuRequestMillis: 500 }, ['cpu.shares=512']],
    [1, { cpuRequestMillis: 0 }, ['cpu.shares=2']],
    [1, { cpuRequestMillis: 1_000_000 }, ['cpu.shares=262144']],
    [2, { cpuRequestMillis: 1000 }, ['cpu.weight=100']],
    [2, { cpuRequestMillis: 0 }, ['cpu.weight=1']],
    [2, { cpuRequestMillis: 1_000_000 }, ['cpu.weight=10000']],
    [1, { pids: 20 }, ['pids.max=20']],
    [2, { pids: 20 }, ['pids.max=20']],
  ] as const)('version %i: %j', (version, limits, want) => {
    expect(written(version, limits)).toEqual(want);
  });
});
