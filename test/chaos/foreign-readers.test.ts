import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import { needTier, TIERS } from '../cli/tiers.ts';
import { workshopForEach } from '../cli/workshop.ts';
import { assertNothingLeft, podsOf } from './aftermath.ts';
import { Chance } from './scenario.ts';
import { needs } from '../needs.ts';

/** `npm run chaos` tries 200 of the other seeds, and a tenth as many of these. */
const SEEDS = Array.from(
  { length: Math.ceil(Number(process.env['PODRUN_CHAOS_SEEDS'] ?? 30) / 10) },
  (_, seed) => seed,
);

const workshop = workshopForEach();

const forever: PodSpec = {
  terminationGracePeriodSeconds: 1,
  containers: [
    { name: 'main', command: ['sh', '-c', 'i=0; while :; do echo "line $i"; i=$((i+1)); sleep 0.01; done'] },
  ],
};

/** Runs podrun in another PID namespace, as in another container that shares the state folder. */
async function elsewhere(...args: string[]): Promise<string> {
  const flags = ['--pid', '--fork', '--mount-proc'];
  const env = { ...process.env, NO_COLOR: '1', CI: 'true', PODRUN_STATE_DIR: workshop.stateDir };
  const child = spawn('unshare', [...flags, ...workshop.commandLine(args)], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const [exitCode] = (await once(child, 'close')) as [number];
  expect({ args, exitCode, output }).toMatchObject({ exitCode: 0 });
  return output;
}

describe.each(TIERS)('readers in other PID namespaces, with --runtime %s', needs('PID namespaces'), (tier) => {
  beforeEach((test) => needTier(test, tier));

  it.each(SEEDS)('never end what runs, and never take it for dead while it lives: seed %i', async (seed) => {
    const chance = new Chance(seed);
    const podrun = workshop.start(['apply', workshop.pod('seen', forever), '--runtime', tier]);
    await podrun.until(({ stdout }) => stdout.includes('line 1'));
    const readers = Array.from({ length: 3 }, async () => {
      await sleep(chance.between(0, 300));
      return elsewhere(...chance.pick([['get', 'pods'], ['describe', 'pod', 'seen'], ['gc'], ['logs', 'seen']]));
    });
    for (const output of await Promise.all(readers)) expect(output).not.toMatch(/was killed|NodeLost|^\s+at /m);
    const seen = podrun.stdout.length;
    await podrun.until(({ stdout }) => stdout.length > seen);
    expect((await podsOf(workshop, {}))[0]?.status?.phase).toBe('Running');

    const reading = elsewhere('get', 'pods');
    await sleep(chance.between(0, 200));
    podrun.signal('SIGKILL');
    await Promise.all([podrun.ended, reading]);
    await elsewhere('gc');
    await expect.poll(() => workshop.processes()).toEqual([]);
    await assertNothingLeft(workshop, { wasKilled: true });
  });
});
