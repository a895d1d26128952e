import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../src/clock.ts';
import { RecentForks, smallestPidSince } from '../../src/runtime/watch/pid-order.ts';
import { listProcesses } from '../../src/runtime/watch/process-table.ts';
import { needs } from '../needs.ts';

describe('smallestPidSince()', needs('Linux'), () => {
  const forksBefore = new RecentForks(new SystemClock()).count ?? 0;
  // At least one more process was started.
  spawnSync('true');

  it('is the smallest of the processes while the kernel cannot have come to the end of its pids', () => {
    expect(smallestPidSince([7, 5, 9].map((pid) => ({ pid, forksBefore })))).toBe(5);
  });

  it('is not known when pids may have begun anew', () => {
    const last = Number(readFileSync('/proc/sys/kernel/pid_max', 'utf8')) - 1;
    expect(
      smallestPidSince([
        { pid: 5, forksBefore },
        { pid: last, forksBefore },
      ]),
    ).toBe(0);
    expect(smallestPidSince([{ pid: 5, forksBefore: forksBefore - 2 * last }])).toBe(0);
  });

  it('is not known of a process that was made at an unknown time, or that was not counted', () => {
    expect(smallestPidSince([{ pid: 5, forksBefore: undefined }])).toBe(0);
    expect(smallestPidSince([{ pid: 5, forksBefore: Number.MAX_SAFE_INTEGER }])).toBe(0);
  });
});

it('listProcesses() leaves out smaller pids, and none that is larger', needs('Linux'), async () => {
  const clock = new SystemClock();
  const all = (await listProcesses(clock)).map(({ pid }) => pid);
  const some = (await listProcesses(clock, { ticks: 0, pid: process.ppid })).map(({ pid }) => pid);
  expect(all).toContain(process.ppid);
  expect(some).toContain(process.ppid);
  expect(Math.min(...some)).toBe(process.ppid);
});
