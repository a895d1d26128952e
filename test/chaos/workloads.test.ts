import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import type { DeploymentStatus, JobStatus } from '../../src/api/generated/types.ts';
import { controllerOf, isTerminalPhase, type StoredKubeObject, type StoredPod } from '../../src/api/base/objects.ts';
import { storeOf } from '../cli/prepared-store.ts';
import { type Podrun, type Workshop, workshopFor } from '../cli/workshop.ts';
import { PATIENT } from '../patience.ts';
import { agentPid } from './agent-pid.ts';
import { assertNothingLeft } from './aftermath.ts';
import { Chance } from './scenario.ts';
import { needs } from '../needs.ts';

/** `npm run chaos` tries 100 of each: half as many as of Pods. */
const SEEDS = Math.ceil(Number(process.env['PODRUN_CHAOS_SEEDS'] ?? 4) / 2);
const FIRST_SEED = Number(process.env['PODRUN_CHAOS_FIRST_SEED'] ?? 1);
const COMPLETIONS = 6;

type WithStatus<T> = StoredKubeObject & { readonly status?: T };

interface Size {
  readonly replicas: number;
  readonly version: string;
}

function specOf(workshop: Workshop, { replicas, version }: Size): object {
  const env = [
    { name: 'VERSION', value: version },
    { name: 'WORKSHOP', value: workshop.folder },
  ];
  const containers = [{ name: 'main', image: 'busybox', env, command: ['sleep', '600'] }];
  const template = { metadata: { labels: { app: 'web' } }, spec: { terminationGracePeriodSeconds: 1, containers } };
  return { replicas, selector: { matchLabels: { app: 'web' } }, template };
}

function deployment(workshop: Workshop, size: Size): string {
  const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: specOf(workshop, size) };
  return workshop.file('deployment.yaml', stringify(object, { aliasDuplicateObjects: false }));
}

/** A Job whose Pods write down that they have done their work. */
function job(workshop: Workshop): string {
  const command = ['sh', '-c', `sleep 0.2; echo done >>"$WORKSHOP/ledger"`];
  const env = [{ name: 'WORKSHOP', value: workshop.folder }];
  const containers = [{ name: 'main', image: 'busybox', env, command }];
  const template = { spec: { restartPolicy: 'Never', containers } };
  const spec = { completions: COMPLETIONS, parallelism: 3, backoffLimit: 100, template };
  const object = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'pi' }, spec };
  return workshop.file('job.yaml', stringify(object));
}

const FLAGS = ['--job-backoff-initial', '0.1s', '--job-backoff-max', '0.1s'];

/** One agent after the other: each is killed at a random moment, and the next command goes on. */
class Agents {
  readonly #workshop: Workshop;
  readonly #chance: Chance;
  readonly #isBackground: boolean;
  #foreground: Podrun | undefined;

  constructor(workshop: Workshop, chance: Chance) {
    this.#workshop = workshop;
    this.#chance = chance;
    this.#isBackground = chance.is(0.5);
  }

  stored<T>(resource: string, name: string): WithStatus<T> | undefined {
    return storeOf(this.#workshop).get<WithStatus<T>>(resource, 'default', name);
  }

  all<T = StoredKubeObject>(resource: string): T[] {
    return storeOf(this.#workshop).list(resource) as unknown as T[];
  }

  async apply(file: string): Promise<void> {
    if (!this.#isBackground) this.#foreground = this.#workshop.start(['apply', file, ...FLAGS]);
    else {
      const { exitCode, stderr } = await this.#workshop.run(['apply', '-d', file, ...FLAGS]);
      if (exitCode !== 0) throw new Error(stderr);
    }
  }

  /** Kills the agent once or more often. The next one looks after the same file. */
  async killAndGoOn(file: string): Promise<void> {
    for (let blows = this.#chance.between(1, 3); blows > 0; blows--) {
      await sleep(this.#chance.between(0, 700));
      if (this.#foreground !== undefined) {
        this.#foreground.signal('SIGKILL');
        await this.#foreground.ended;
        await this.apply(file);
      } else {
        const pid = agentPid(this.#workshop);
        // A Job may have ended, and its agent with it.
        if (pid === undefined) return;
        kill(pid);
        await this.#workshop.run(['get', 'all']);
      }
    }
  }

  /** Resolves when no agent runs any more. All workloads are gone, or have ended. */
  async ended(): Promise<void> {
    await this.#foreground?.ended;
    await vi.waitUntil(() => this.#workshop.backgroundProcesses().length === 0, PATIENT);
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The agent has just ended.
  }
}

/** Waits for the Pods of a Deployment, and for nothing beside them. */
async function atRest(workshop: Workshop, agents: Agents, { replicas, version }: Size): Promise<void> {
  const active = (): StoredPod[] =>
    agents.all<StoredPod>('pods').filter(({ status }) => !isTerminalPhase(status.phase));
  await vi.waitUntil(() => {
    const { metadata, status } = agents.stored<DeploymentStatus>('deployments', 'web') ?? {};
    const counts = [status?.replicas, status?.updatedReplicas, status?.availableReplicas].map((count) => count ?? 0);
    const found = [...counts, active().length, workshop.processes().length];
    return status?.observedGeneration === metadata?.generation && found.every((count) => count === replicas);
  }, PATIENT);
  expect(active().map(({ spec }) => spec.containers[0]?.env?.[0]?.value)).toEqual(Array(replicas).fill(version));
  const owners = new Set(agents.all('replicasets').map(({ metadata }) => metadata.uid));
  expect(agents.all<StoredPod>('pods').filter((pod) => !owners.has(controllerOf(pod)?.uid ?? ''))).toEqual([]);
}

describe('an agent that is killed in the middle', { concurrent: true, ...needs('Linux') }, () => {
  const seeds = Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index);

  it.for(seeds)('of a rollout or a scaling: the next one comes to its end, seed %i', async (seed, test) => {
    const workshop = workshopFor(test);
    const chance = new Chance(seed);
    const agents = new Agents(workshop, chance);
    const before: Size = { replicas: chance.between(1, 4), version: '1' };
    const after: Size = { replicas: chance.between(1, 4), version: chance.is(0.7) ? '2' : '1' };
    await agents.apply(deployment(workshop, before));
    if (chance.is(0.7)) await atRest(workshop, agents, before);
    else await vi.waitUntil(() => agents.stored('deployments', 'web') !== undefined, PATIENT);
    const patch = JSON.stringify({ spec: specOf(workshop, after) });
    expect(await workshop.run(['patch', 'deployment/web', '-p', patch])).toMatchObject({ exitCode: 0 });
    await agents.killAndGoOn(deployment(workshop, after));
    await atRest(workshop, agents, after);
    expect(await workshop.run(['delete', 'deployment', 'web'])).toMatchObject({ exitCode: 0 });
    await agents.ended();
    expect([agents.all('replicasets'), agents.all('pods')]).toEqual([[], []]);
    await assertNothingLeft(workshop, { wasKilled: true });
  });

  it.for(seeds)('of a Job: each of its Pods counts once, seed %i', async (seed, test) => {
    const workshop = workshopFor(test);
    const agents = new Agents(workshop, new Chance(seed + 1000));
    const file = job(workshop);
    await agents.apply(file);
    await vi.waitUntil(() => agents.stored('jobs', 'pi') !== undefined, PATIENT);
    await agents.killAndGoOn(file);
    await agents.ended();
    const { status } = agents.stored<JobStatus>('jobs', 'pi') ?? {};
    expect(status?.conditions?.at(-1)?.type).toBe('Complete');
    const phases = agents.all<StoredPod>('pods').map((pod) => pod.status.phase);
    const count = (phase: string): number => phases.filter((one) => one === phase).length;
    expect([status?.succeeded, status?.failed ?? 0]).toEqual([COMPLETIONS, count('Failed')]);
    expect(count('Succeeded')).toBe(COMPLETIONS);
    const done = readFileSync(path.join(workshop.folder, 'ledger'), 'utf8').split('\n').length - 1;
    expect(done).toBeGreaterThanOrEqual(COMPLETIONS);
    expect(agents.all<StoredPod>('pods').filter(({ metadata }) => metadata.finalizers !== undefined)).toEqual([]);
    await assertNothingLeft(workshop, { wasKilled: true });
  });
});
