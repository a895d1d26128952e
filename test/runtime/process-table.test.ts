import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { SystemClock } from '../../src/clock.ts';
import { factsOf } from '../../src/runtime/watch/process-identity.ts';
import { CONTAINER_MARKER, listProcesses } from '../../src/runtime/watch/process-table.ts';
import { markedPids } from './support/process-rig.ts';
import { needs } from '../needs.ts';

it('sees the child of who forks and ends while other processes are looked at', needs('Linux'), async () => {
  const id = `table-${process.pid}`;
  const script = 'trap "sleep 60 & exit" USR1; echo ready; while :; do sleep 0.01; done';
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  const env = { PATH: process.env['PATH'], [CONTAINER_MARKER]: id };
  const parent = spawn('/bin/sh', ['-c', script], { detached: true, env, stdio: [...stdio] });
  onTestFinished(() => markedPids(id).forEach((pid) => process.kill(pid, 'SIGKILL')));
  await once(parent.stdout, 'data');
  const clock = new SystemClock();
  let asked = 0;
  const now = (): ReturnType<SystemClock['now']> => {
    // At the second call, the processes have been listed but not read.
    if (++asked === 2) {
      parent.kill('SIGUSR1');
      while (factsOf(parent.pid ?? 0)?.isZombie === false);
    }
    return clock.now();
  };
  const listed = await listProcesses({ now, wakeAt: (at, run) => clock.wakeAt(at, run) });
  expect(listed.filter(({ containerId }) => containerId === id)).toHaveLength(1);
});
