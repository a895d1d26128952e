import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { type Podrun, workshopForEach } from '../cli/workshop.ts';
import { assertNothingLeft } from './aftermath.ts';
import { GONE_WITHIN_MS, PATIENT } from '../patience.ts';
import { needs } from '../needs.ts';

const PIDS_MAX = 25;

/** A fork bomb of at most three hundred processes: a test must not take the machine down. */
const BOMB = 'f() { [ "$1" = 0 ] || { f $(($1 - 1)) & f $(($1 - 1)) & }; sleep 60; }; f 7 2>/dev/null & sleep 600';

const workshop = workshopForEach();

describe('a fork bomb within its limit of processes', needs('cgroups'), () => {
  it('is over within a second of podrun, which is killed', async () => {
    const podrun = await exploding();
    podrun.signal('SIGKILL');
    await podrun.ended;
    await expect.poll(() => workshop.processes(), { timeout: GONE_WITHIN_MS, interval: 10 }).toEqual([]);
    await assertNothingLeft(workshop, { wasKilled: true });
  });

  it('ends with podrun after a second signal', async () => {
    const podrun = await exploding();
    podrun.signal('SIGINT');
    podrun.signal('SIGINT');
    await podrun.ended;
    expect(workshop.processes()).toEqual([]);
    await assertNothingLeft(workshop);
  });
});

/** Starts a Pod with the bomb. Resolves when the Pod has as many processes as its limit permits. */
async function exploding(): Promise<Podrun> {
  workshop.file('podrun.yaml', `podPidsLimit: ${PIDS_MAX}\n`);
  const bomb = { name: 'main', command: ['sh', '-c', BOMB] };
  const podrun = workshop.start(['apply', workshop.pod('bomb', { containers: [bomb] })]);
  await vi.waitFor(() => expect(refusals()).toBeGreaterThan(0), PATIENT);
  const alive = workshop.processes().length;
  expect(alive).toBeGreaterThan(1);
  expect(alive).toBeLessThanOrEqual(PIDS_MAX);
  return podrun;
}

/** The number of processes that the kernel refused. The kernel version decides which of the cgroups counts them. */
function refusals(): number {
  const file = path.join(workshop.stateDir, 'pods/default/bomb/processes.ndjson');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const groups = lines.flatMap((line) => (JSON.parse(line) as { cgroups?: string[] }).cgroups ?? []);
  const files = groups.flatMap((group) => ['.', 'inside', '..'].map((place) => path.join(group, place, 'pids.events')));
  const counts = files.filter((one) => existsSync(one)).map((one) => /max (\d+)/.exec(readFileSync(one, 'utf8'))?.[1]);
  return counts.reduce((sum, count) => sum + Number(count ?? 0), 0);
}
