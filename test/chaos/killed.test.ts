import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type Podrun, type Workshop, workshopForEach } from '../cli/workshop.ts';
import { faultsAfter, unreadable } from './aftermath.ts';
import { faultsInLogs } from './logs.ts';
import { type Blow, type Scenario, scenarioOf, SHARED_FOLDER } from './scenario.ts';
import { StoreReader } from './store-reader.ts';
import { GONE_WITHIN_MS } from '../patience.ts';
import { needs } from '../needs.ts';

/** `npm run chaos` tries 200. */
const SEEDS = Number(process.env['PODRUN_CHAOS_SEEDS'] ?? 14);
const FIRST_SEED = Number(process.env['PODRUN_CHAOS_FIRST_SEED'] ?? 1);
/** Flags for every `apply`, such as `--runtime process`. */
const FLAGS = (process.env['PODRUN_CHAOS_FLAGS'] ?? '').split(' ').filter((flag) => flag !== '');

const workshop = workshopForEach();

describe('whatever befalls podrun, nothing is left and everything is true', needs('Linux'), () => {
  it.each(Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index))('seed %i', async (seed) => {
    const scenario = scenarioOf(seed);
    const faults = await live(workshop, scenario);
    expect(faults.map((fault) => `${fault}, with ${JSON.stringify(scenario.blow)} at ${scenario.atMs} ms`)).toEqual([]);
  });
});

/** Runs a scenario. Answers all faults. */
async function live(place: Workshop, scenario: Scenario): Promise<string[]> {
  const ledgers = path.join(place.folder, 'ledgers');
  const temporary = path.join(place.folder, 'tmp');
  for (const folder of [ledgers, temporary]) mkdirSync(folder);
  const env = { TMPDIR: temporary };
  const podrun = place.start(['apply', manifest(place, scenario, ledgers), ...FLAGS], env);
  const reader = new StoreReader(place.stateDir);
  await sleep(scenario.atMs);
  const other = place.start(['get', 'pods', '-o', 'json'], env);
  const wasKilled = await strike(podrun, scenario.blow);
  const faults = wasKilled ? await untilDead(place) : [];
  faults.push(...unreadable(await other.ended));
  await endGently(podrun);
  reader.close();
  faults.push(...reader.torn);

  faults.push(...(await faultsAfter(place, { wasKilled, env })));
  faults.push(...faultsInLogs({ stateDir: place.stateDir, ledgers, wasKilled }));
  return faults;
}

function manifest(place: Workshop, { seed, spec }: Scenario, ledgers: string): string {
  const env = [
    { name: 'LEDGER', value: ledgers },
    { name: 'WORKSHOP', value: place.folder },
  ];
  const withEnv = <T>(containers: readonly T[] | undefined): T[] | undefined =>
    containers?.map((container) => ({ ...container, env }));
  const whole = { ...spec, initContainers: withEnv(spec.initContainers), containers: withEnv(spec.containers) };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: `chaos-${seed}` }, spec: whole };
  const text = stringify(pod, { aliasDuplicateObjects: false });
  return place.file('pod.yaml', text.replaceAll(SHARED_FOLDER, place.folder));
}

/** Deals a blow to podrun. Answers true when podrun was killed. */
async function strike(podrun: Podrun, blow: Blow): Promise<boolean> {
  switch (blow.type) {
    case 'kill':
      podrun.signal('SIGKILL');
      break;
    case 'pause':
      podrun.signal('SIGSTOP');
      await sleep(blow.ms);
      podrun.signal('SIGCONT');
      await Promise.race([podrun.ended, sleep(300)]);
      return false;
    case 'pauseAndKill':
      podrun.signal('SIGSTOP');
      await sleep(blow.ms);
      podrun.signal('SIGKILL');
      break;
    case 'ask':
      podrun.signal(blow.signal);
      return false;
    case 'askAndKill':
      podrun.signal('SIGTERM');
      await sleep(blow.ms);
      podrun.signal('SIGKILL');
      break;
    default:
      return blow satisfies never;
  }
  return (await podrun.ended).exitCode === 137;
}

/** Waits until the containers of a killed podrun are dead. Answers the remaining processes. */
async function untilDead(place: Workshop): Promise<string[]> {
  const start = performance.now();
  for (;;) {
    const left = place.processes();
    if (left.length === 0) return [];
    if (performance.now() - start > GONE_WITHIN_MS)
      return left.map((line) => `not dead after ${GONE_WITHIN_MS} ms: ${line}`);
    await sleep(5);
  }
}

/** Asks a running podrun to end, and waits without a limit. */
async function endGently(podrun: Podrun): Promise<void> {
  while ((await Promise.race([podrun.ended, sleep(700)])) === undefined) podrun.signal('SIGTERM');
}
