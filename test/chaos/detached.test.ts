import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import { workshopForEach } from '../cli/workshop.ts';
import { assertNothingLeft, faultsAfter, podsOf } from './aftermath.ts';
import { agentPid } from './agent-pid.ts';
import { outputIn } from './logs.ts';
import { PATIENT } from '../patience.ts';
import { needs } from '../needs.ts';

/** These scenarios are slow: a seventh of the seeds of a podrun in the foreground. */
const SEEDS = Math.ceil(Number(process.env['PODRUN_CHAOS_SEEDS'] ?? 14) / 7);
const FIRST_SEED = Number(process.env['PODRUN_CHAOS_FIRST_SEED'] ?? 1);
const FLAGS = (process.env['PODRUN_CHAOS_FLAGS'] ?? '').split(' ').filter((flag) => flag !== '');

const LINES = 20_000;

const workshop = workshopForEach();

/** A container that prints numbered lines in bursts. The first run fails, the second ends with the exit code. */
const talker = (exitCode: number): PodSpec => ({
  restartPolicy: 'OnFailure',
  containers: [
    {
      name: 'main',
      command: [
        'sh',
        '-c',
        `i=0; while [ $i -lt ${LINES} ]; do echo "line $i"; i=$((i+1)); ` +
          `[ $((i % 400)) -gt 0 ] || sleep 0.02; done; [ -e second ] || { : >second; exit ${exitCode}; }`,
      ],
    },
  ],
});

describe('a background agent that is killed again and again', needs('Linux'), () => {
  it.each(Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index))('seed %i', async (seed) => {
    const random = dice(seed);
    const exitCode = 1 + Math.floor(random() * 100);
    const file = workshop.pod('talker', talker(exitCode));
    expect(await workshop.run(['apply', '-d', file, ...FLAGS])).toMatchObject({ exitCode: 0, stderr: '' });
    for (let blows = 1 + Math.floor(random() * 4); blows > 0; blows--) {
      await sleep(random() * 900);
      const pid = agentPid(workshop);
      if (pid === undefined) break;
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        break; // the agent has ended
      }
      if (random() < 0.3) await sleep(random() * 2500);
      await workshop.start(['get', 'pods']).ended;
    }
    expect(await workshop.run(['wait', 'pod/talker', '--for=jsonpath={.status.phase}=Succeeded'])).toMatchObject({
      exitCode: 0,
    });
    const [pod] = await podsOf(workshop, {});
    const [status] = pod?.status?.containerStatuses ?? [];
    expect(status).toMatchObject({ restartCount: 1, lastState: { terminated: { exitCode } } });
    const whole = Array.from({ length: LINES }, (_, index) => `line ${index}\n`).join('');
    for (const attempt of [0, 1]) {
      const log = path.join(workshop.stateDir, 'pods/default/talker/logs/main', `${attempt}.log`);
      expect(outputIn(log) === whole, `the log of run ${attempt} is whole`).toBe(true);
    }
    await vi.waitUntil(() => workshop.backgroundProcesses().length === 0, PATIENT);
    // A file that the agent was writing when it was killed stays until `gc`; nothing else does.
    const left = await faultsAfter(workshop, { wasKilled: false });
    expect(left.filter((fault) => !/^file: .*\/\.tmp-\d+-/.test(fault))).toEqual([]);
    await assertNothingLeft(workshop, { wasKilled: true });
  });
});

/** Pseudo-random numbers from 0 to 1, the same for the same seed: xorshift. */
function dice(seed: number): () => number {
  let state = seed * 2_654_435_761 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
