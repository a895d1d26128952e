import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { StoredEvent, StoredPod, StoredService } from '../../src/api/base/objects.ts';
import { quietly } from '../../src/quietly.ts';
import { isProcessAlive, type ProcessIdentity, startTimeOf } from '../../src/runtime/watch/process-identity.ts';
import { storeOf } from '../cli/prepared-store.ts';
import { type Workshop, workshopFor } from '../cli/workshop.ts';
import { PATIENT } from '../patience.ts';
import { assertNothingLeft } from './aftermath.ts';
import { Chance } from './scenario.ts';
import { needs } from '../needs.ts';

/** `npm run chaos` tries 100 seeds: half as many as of Pods. */
const SEEDS = Math.ceil(Number(process.env['PODRUN_CHAOS_SEEDS'] ?? 4) / 2);
const FIRST_SEED = Number(process.env['PODRUN_CHAOS_FIRST_SEED'] ?? 1);

const VICTIMS = ['agent', 'helper', 'holder', 'wayOut', 'keeper', 'pod'] as const;
const SERVE = `require('node:http').createServer((q, r) => r.end('served')).listen(8080)`;

/** A Deployment of servers with a Service, in a cluster. */
function manifest(workshop: Workshop, replicas: number): string {
  const readinessProbe = { httpGet: { port: 8080 }, periodSeconds: 1 };
  const env = [{ name: 'WORKSHOP', value: workshop.folder }];
  const command = [process.execPath, '-e', SERVE];
  const containers = [{ name: 'main', image: 'busybox', command, env, readinessProbe }];
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { terminationGracePeriodSeconds: 1, containers } };
  const spec = { replicas, selector: { matchLabels: labels }, template };
  const objects = [
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { selector: labels, ports: [{ port: 8080 }] },
    },
  ];
  return workshop.file('web.yaml', objects.map((object) => JSON.stringify(object)).join('\n---\n'));
}

/** The processes of the network of a workshop's background agents. */
class Processes {
  readonly #workshop: Workshop;
  /** All that were ever seen. */
  readonly #seen: ProcessIdentity[] = [];

  constructor(workshop: Workshop) {
    this.#workshop = workshop;
  }

  /** The living processes of a kind. */
  find(kind: (typeof VICTIMS)[number]): number[] {
    const { stateDir } = this.#workshop;
    const agents = namesIn(path.join(stateDir, '.agents')).map((id) => path.join(stateDir, '.agents', id));
    switch (kind) {
      case 'agent':
        return agents.flatMap((folder) => pidIn(path.join(folder, 'process.json')));
      case 'helper':
        return agents.flatMap((folder) => pidIn(path.join(folder, 'helper.json')));
      case 'holder':
        return pidIn(path.join(stateDir, '.cluster', 'holder.json'));
      case 'wayOut':
        return pidIn(path.join(stateDir, '.cluster', 'way-out.json'));
      case 'keeper':
        return this.#workshop.backgroundProcesses().filter((pid) => commandOf(pid).includes('keeper'));
      case 'pod':
        return namesIn(path.join(stateDir, 'pods', 'default')).flatMap((pod) => this.#holdersOf(pod));
      default:
        return kind satisfies never;
    }
  }

  /** Remembers all processes in the networks of this moment. */
  look(): void {
    const known = VICTIMS.flatMap((kind) => this.find(kind));
    const here = networkOf(process.pid);
    const networks = new Set(known.map(networkOf).filter((network) => network !== undefined && network !== here));
    const inside = namesIn('/proc')
      .map(Number)
      .filter((pid) => pid > 0 && networks.has(networkOf(pid)));
    for (const pid of new Set([...known, ...inside])) {
      const startTime = startTimeOf(pid);
      if (startTime !== undefined) this.#seen.push({ pid, startTime });
    }
  }

  /** Those of them that still live. */
  get left(): number[] {
    return this.#seen.filter(isProcessAlive).map(({ pid }) => pid);
  }

  /** The processes that hold the networks of a Pod. */
  #holdersOf(pod: string): number[] {
    const file = path.join(this.#workshop.stateDir, 'pods', 'default', pod, 'processes.ndjson');
    const lines = (quietly(() => readFileSync(file, 'utf8')) ?? '').split('\n');
    return lines.filter((line) => line.includes('"network"')).flatMap(alivePid);
  }
}

const namesIn = (folder: string): string[] => quietly(() => readdirSync(folder)) ?? [];
const networkOf = (pid: number): string | undefined => quietly(() => readlinkSync(`/proc/${pid}/ns/net`));
const commandOf = (pid: number): string =>
  (quietly(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '').replaceAll('\0', ' ');
const pidIn = (file: string): number[] =>
  existsSync(file) ? alivePid(quietly(() => readFileSync(file, 'utf8')) ?? '') : [];

/** The process of a record, if it lives. */
function alivePid(text: string): number[] {
  const record = quietly(() => JSON.parse(text) as ProcessIdentity);
  return record !== undefined && isProcessAlive(record) ? [record.pid] : [];
}

/** True when a client on this machine gets an answer of the Service. */
async function isServed(workshop: Workshop): Promise<boolean> {
  const address = storeOf(workshop).get<StoredService>('services', 'default', 'web')?.spec?.clusterIP ?? '';
  const url = `http://${address.replace('10.96.', '127.96.')}:8080/`;
  const signal = AbortSignal.timeout(1000);
  return fetch(url, { signal }).then(
    (answer) => answer.ok,
    () => false,
  );
}

/** Deletes the Pods that podrun has told that they have lost their network. The Deployment makes others. */
async function replaceLost(workshop: Workshop): Promise<void> {
  const store = storeOf(workshop);
  const told = new Set(
    store.list<StoredEvent>('events').flatMap(({ reason, involvedObject }) => {
      return reason === 'NetworkLost' ? (involvedObject.uid ?? []) : [];
    }),
  );
  const lost = store.list<StoredPod>('pods').filter(({ metadata: { uid, deletionTimestamp } }) => {
    return told.has(uid) && deletionTimestamp === undefined;
  });
  if (lost.length > 0)
    await workshop.run(['delete', 'pod', ...lost.map(({ metadata }) => metadata.name), '--wait=false']);
}

/** A look costs as much as the start of a program. */
const LOOKS = { ...PATIENT, interval: 250 };

describe('a network whose processes are killed', { concurrent: true, ...needs('networks', 'namespaces') }, () => {
  const seeds = Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index);

  it.for(seeds)('serves again, or its Pods get an event, and no process is left: seed %i', async (seed, test) => {
    const workshop = workshopFor(test);
    const processes = new Processes(workshop);
    // Holders have no trace of the workshop.
    test.onTestFinished(() => processes.left.forEach((pid) => quietly(() => process.kill(pid, 'SIGKILL'))));
    const chance = new Chance(seed);
    const file = manifest(workshop, chance.between(1, 2));
    const tier = chance.pick(['process', 'namespace']);
    const words = ['apply', '--detach', '--network', 'cluster', '--runtime', tier, file];
    expect(await workshop.run(words)).toMatchObject({ exitCode: 0 });
    if (chance.is(0.7)) await vi.waitUntil(() => isServed(workshop), PATIENT);
    const killed: string[] = [];
    for (let blows = chance.between(1, 4); blows > 0; blows--) {
      await sleep(chance.is(0.3) ? 0 : chance.between(0, 700));
      processes.look();
      const kind = chance.pick([...VICTIMS]);
      const victims = processes.find(kind);
      killed.push(`${kind}${victims.length === 0 ? ' (none)' : ''}`);
      if (victims.length > 0) quietly(() => process.kill(chance.pick(victims as [number]), 'SIGKILL'));
      if (chance.is(0.3)) await workshop.run(['get', 'pods']);
    }
    const served = vi.waitUntil(async () => {
      await workshop.run(['get', 'pods']);
      processes.look();
      await replaceLost(workshop);
      return isServed(workshop);
    }, LOOKS);
    await served.catch(async (error: unknown) => {
      const { stdout } = await workshop.run(['get', 'all,endpointslices,events', '-o', 'wide']);
      throw new Error(`killed ${killed.join(', ')}:\n${stdout}`, { cause: error });
    });
    expect(await workshop.run(['delete', 'deployment,service', 'web'])).toMatchObject({ exitCode: 0 });
    await vi.waitUntil(() => workshop.backgroundProcesses().length === 0, PATIENT);
    await vi.waitFor(() => expect(processes.left.map(commandOf)).toEqual([]), PATIENT);
    await assertNothingLeft(workshop, { wasKilled: true });
  });
});
