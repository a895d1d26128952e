import { expect, vi } from 'vitest';
import type { Pod } from '../../src/api/generated/types.ts';
import type { Podrun, Workshop } from '../cli/workshop.ts';
import { GONE_WITHIN_MS } from '../patience.ts';
import { whatIsLeft } from './what-is-left.ts';

/** The events of a test that decide what may be left. */
export interface Aftermath {
  /** True when podrun was killed: then the next command, here `gc`, removes what is left. */
  readonly wasKilled: boolean;
  readonly env?: Readonly<Record<string, string>>;
}

/** The faults of a workshop whose podruns have ended: leftovers on the machine, and statuses that cannot be true. */
export async function faultsAfter(place: Workshop, { wasKilled, env = {} }: Aftermath): Promise<string[]> {
  const uids = (await podsOf(place, env)).flatMap(({ metadata }) => metadata?.uid ?? []);
  const faults = wasKilled ? await tidied(place, env) : [];
  const left = (): string[] => whatIsLeft({ folder: place.folder, stateDir: place.stateDir, uids });
  // The watchdog of a killed podrun removes files after the processes, beside `gc`.
  if (wasKilled)
    await vi.waitUntil(() => left().length === 0, { timeout: GONE_WITHIN_MS, interval: 200 }).catch(() => undefined);
  faults.push(...left());
  for (const pod of await podsOf(place, env)) faults.push(...untruths(pod));
  return faults;
}

/** Fails when something is left of the podruns of a workshop, or a record is untrue. */
export async function assertNothingLeft(place: Workshop, aftermath: Aftermath = { wasKilled: false }): Promise<void> {
  expect(await faultsAfter(place, aftermath)).toEqual([]);
}

export async function podsOf(place: Workshop, env: Readonly<Record<string, string>>): Promise<Pod[]> {
  const { stdout } = await place.run(['get', 'pods', '-o', 'json'], env);
  return (JSON.parse(stdout) as { items: Pod[] }).items;
}

/** Runs `gc`, which ends and removes what a killed podrun left. */
async function tidied(place: Workshop, env: Readonly<Record<string, string>>): Promise<string[]> {
  const { exitCode, stderr } = await place.run(['gc'], env);
  return exitCode === 0 ? [] : [`gc ended with ${exitCode}: ${stderr}`];
}

/** The faults in the output of `get -o json`. */
export function unreadable({ exitCode, stdout, stderr }: Awaited<Podrun['ended']>): string[] {
  try {
    JSON.parse(stdout);
    return exitCode === 0 ? [] : [`get ended with ${exitCode}: ${stderr}`];
  } catch {
    return [`get printed no JSON: ${stdout.slice(0, 100)} ${stderr}`];
  }
}

/** The faults in the status of a Pod without an agent. */
function untruths({ status = {} }: Pod): string[] {
  const { phase, reason, conditions = [], initContainerStatuses = [], containerStatuses = [] } = status;
  const faults: string[] = [];
  if (phase !== 'Succeeded' && phase !== 'Failed') faults.push(`the phase is ${phase} (${reason ?? 'no reason'})`);
  for (const { name, state = {}, ready } of [...initContainerStatuses, ...containerStatuses]) {
    if (state.running !== undefined) faults.push(`${name} is said to run`);
    if (ready && state.terminated?.exitCode !== 0) faults.push(`${name} is said to be ready`);
  }
  const isReady = conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True');
  if (isReady) faults.push('the Pod is said to be ready');
  const codes = containerStatuses.map(({ state }) => state?.terminated?.exitCode);
  if (phase === 'Succeeded' && codes.some((code) => code !== 0)) faults.push(`succeeded with ${codes.join(', ')}`);
  return faults;
}
