import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import { factsOf } from '../../src/runtime/watch/process-identity.ts';
import { workshopForEach } from '../cli/workshop.ts';
import { ifThere } from '../live-files.ts';
import { assertNothingLeft, podsOf } from './aftermath.ts';
import { faultsInLogs } from './logs.ts';
import { Chance } from './scenario.ts';
import { GONE_WITHIN_MS, PATIENT } from '../patience.ts';
import { needs } from '../needs.ts';

/** `npm run chaos` tries 200 of the other seeds, and a tenth as many of these. */
const SEEDS = Math.ceil(Number(process.env['PODRUN_CHAOS_SEEDS'] ?? 30) / 10);

const workshop = workshopForEach();

const WRITER = [
  'read -r id </proc/sys/kernel/random/uuid',
  'echo "begin $id"',
  'i=0',
  'while :; do echo "$i x"; echo $i >>"$LEDGER/$id"; i=$((i+1)); sleep 0.01; done',
].join('\n');

const writer = (ledgers: string): PodSpec => ({
  terminationGracePeriodSeconds: 1,
  containers: [{ name: 'main', command: ['sh', '-c', WRITER], env: [{ name: 'LEDGER', value: ledgers }] }],
});

/** The pids of background processes: the agent, or the keeper of its containers. */
const pidsOf = (command: string): number[] =>
  workshop
    .backgroundProcesses()
    .filter((pid) => ifThere(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))?.includes(command));

/** The pid of the shell that writes. Its child looks the same for a moment, before it becomes `sleep`. */
function mainPid(): number | undefined {
  const writers = workshop.processes().filter((line) => line.includes('echo "begin'));
  const pids = writers.map((line) => Number.parseInt(line, 10));
  return pids.find((pid) => !pids.includes(factsOf(pid)?.parentPid ?? 0));
}

async function begin(): Promise<string> {
  const ledgers = path.join(workshop.folder, 'ledgers');
  mkdirSync(ledgers);
  const applied = await workshop.run(['apply', '-d', '--wait', workshop.pod('writer', writer(ledgers))]);
  expect(applied).toMatchObject({ exitCode: 0 });
  return ledgers;
}

async function end(): Promise<void> {
  expect(await workshop.run(['delete', 'pods', '--all'])).toMatchObject({ exitCode: 0 });
  await expect.poll(() => workshop.backgroundProcesses(), PATIENT).toEqual([]);
  await assertNothingLeft(workshop, { wasKilled: true });
}

describe('a Pod in the background', needs('Linux'), () => {
  it.each(Array.from({ length: SEEDS }, (_, seed) => seed))(
    'whose agent is killed keeps running, and no byte of its log is lost: seed %i',
    async (seed) => {
      const chance = new Chance(seed);
      const ledgers = await begin();
      await sleep(chance.between(0, 300));
      for (const pid of pidsOf('run-background-agent')) process.kill(pid, 'SIGKILL');
      await sleep(chance.between(0, 300));
      const before = mainPid();
      expect(before).toBeDefined();
      const { stderr } = await workshop.start(['get', 'pods']).ended;
      expect(stderr).toContain('podrun started another');
      expect(mainPid()).toBe(before);
      expect((await podsOf(workshop, {}))[0]?.status?.phase).toBe('Running');
      // A running container may have written one line more than podrun has read.
      const faults = (): string[] => faultsInLogs({ stateDir: workshop.stateDir, ledgers, wasKilled: false });
      await expect.poll(faults).toEqual([]);
      await end();
    },
  );

  it('whose keeper is killed as well is dead within a second, and the next command tells what is true', async () => {
    await begin();
    const pids = [...pidsOf('run-background-agent'), ...pidsOf('run-container-keeper')];
    expect(pids.length).toBe(2);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await expect.poll(() => workshop.processes(), { timeout: GONE_WITHIN_MS, interval: 10 }).toEqual([]);
    await workshop.start(['get', 'pods']).ended;
    const restarted = async (): Promise<number | undefined> =>
      (await podsOf(workshop, {}))[0]?.status?.containerStatuses?.[0]?.restartCount;
    await expect.poll(restarted, PATIENT).toBe(1);
    await end();
  });
});
