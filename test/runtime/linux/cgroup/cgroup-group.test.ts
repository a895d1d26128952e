import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { SystemClock } from '../../../../src/clock.ts';
import { CgroupGroup } from '../../../../src/runtime/linux/cgroup/cgroup-group.ts';
import { cgroupMachine } from '../../../../src/runtime/linux/cgroup/cgroup-machine.ts';
import { factsOf } from '../../../../src/runtime/watch/process-identity.ts';
import { PATIENT } from '../../../patience.ts';
import { needs } from '../../../needs.ts';

const machine = cgroupMachine();
const NOTHING = { memoryBytes: undefined, cpuMillis: undefined, cpuRequestMillis: undefined, pids: undefined };

/** The state letter of a process: see proc_pid_stat(5). */
function stateOf(pid: number): string | undefined {
  const file = `/proc/${pid}/stat`;
  return existsSync(file) ? /\) (\w)/.exec(readFileSync(file, 'utf8'))?.[1] : undefined;
}

describe('a cgroup, where one can be made', needs('cgroups'), () => {
  it('takes in what a process has started meanwhile, and ends all of it', async () => {
    const made = CgroupGroup.make(machine, 'test-group/main/0', { ...NOTHING, together: NOTHING }, new SystemClock());
    if (!made.ok) throw new Error(made.error);
    const { group } = made;
    // A child, a child with its own session, and an orphan whose parent shell has ended.
    const script = 'sleep 300 & setsid sleep 300 & sh -c "sleep 300 &" ; echo ready; wait';
    const child = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    const { pid = 0 } = child;
    const members = (): number[][] =>
      group.inner.map((folder) =>
        readFileSync(path.join(folder, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number),
      );
    expect(await group.place(pid)).toBeUndefined();
    for (const inside of members()) expect(inside).toHaveLength(4);
    const [all = []] = members();
    expect(all).toContain(pid);
    // The processes continue.
    await vi.waitFor(() => expect(all.map(stateOf)).toEqual(all.map(() => 'S')), PATIENT);
    await group.end();
    expect(group.folders.filter((folder) => existsSync(folder) || existsSync(path.dirname(folder)))).toEqual([]);
    expect(all.filter((one) => factsOf(one)?.isZombie === false)).toEqual([]);
  });

  it('takes a process that has ended for none', async () => {
    const made = CgroupGroup.make(machine, 'test-group/gone/0', { ...NOTHING, together: NOTHING }, new SystemClock());
    if (!made.ok) throw new Error(made.error);
    const child = spawn('true', { detached: true, stdio: 'ignore' });
    await new Promise((resolve) => child.once('exit', resolve));
    expect(await made.group.place(child.pid ?? 0)).toBeUndefined();
    await made.group.end();
    expect(made.group.folders.filter((folder) => existsSync(folder))).toEqual([]);
  });
});
