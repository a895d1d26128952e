import { describe, expect, it } from 'vitest';
import type { ProbeInput } from '../../src/kubelet/probe/input.ts';
import type { EventDraft } from '../../src/lifecycle/index.ts';
import { chance } from '../../src/experiments/chance.ts';
import { InjectedFaults } from '../../src/experiments/injected-faults.ts';
import { readFault } from '../../src/experiments/read-fault.ts';
import type { ContainerLaunch, ProcessExit, Runtime } from '../../src/runtime/base/runtime.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { SimulatedRuntime } from '../../src/simulation/simulated-runtime.ts';
import { newPod } from '../simulation/new-pod.ts';

interface World {
  readonly clock: ManualClock;
  readonly faults: InjectedFaults;
  readonly runtime: Runtime;
  readonly told: string[];
  readonly exits: Array<Pick<ProcessExit, 'exitCode' | 'signal' | 'oomKilled'> & { readonly id: string }>;
  readonly start: (id: string) => Promise<void>;
}

function worldWith(texts: readonly string[], seed: number = 1): World {
  const clock = new ManualClock();
  const jumpWall = (ms: number): void => clock.jumpWall(ms);
  const faults = new InjectedFaults({ faults: texts.map(readFault), seed, clock, jumpWall });
  const runtime = faults.wrap(new SimulatedRuntime({ clock }));
  const [told, exits]: [string[], World['exits']] = [[], []];
  faults.begin(
    (uid, { type, reason, message }) => told.push(`${uid} ${type} ${reason} ${message}`),
    () => undefined,
  );
  const launch = (id: string): ContainerLaunch => ({
    id,
    argv: ['app'],
    env: {},
    cwd: '/',
    stdin: false,
    onOutput: () => undefined,
    onExit: ({ exitCode, signal, oomKilled }) => exits.push({ id, exitCode, signal, oomKilled }),
  });
  const start = async (id: string): Promise<void> => void (await runtime.start(launch(id)));
  return { clock, faults, runtime, told, exits, start };
}

/** The instances that a share of starts ends. */
async function endedOf(seed: number): Promise<string[]> {
  const { clock, exits, start } = worldWith(['exit:3@30%'], seed);
  for (let number = 0; number < 20; number++) await start(`u1/app/${number}`);
  await clock.run(10_000);
  return exits.map(({ id }) => id);
}

describe('InjectedFaults', () => {
  it('kills a container at its time, and tells of it once', async () => {
    const { clock, told, exits, start } = worldWith(['kill:app@5s']);
    await start('u1/app/0');
    await start('u1/other/0');
    await clock.run(4999);
    expect(exits).toEqual([]);
    await clock.run(60_000);
    expect(exits).toEqual([{ id: 'u1/app/0', exitCode: 137, signal: 'SIGKILL', oomKilled: false }]);
    expect(told).toEqual(['u1 Warning FaultInjected container app is ended (--inject kill:app@5s --seed 1)']);
  });

  it('waits for a container that does not run yet', async () => {
    const { clock, exits, start } = worldWith(['oom:app@1s']);
    await clock.run(2000);
    await start('u1/app/0');
    await clock.run(0);
    expect(exits).toEqual([{ id: 'u1/app/0', exitCode: 137, signal: 'SIGKILL', oomKilled: true }]);
  });

  it('ends the same share of starts for the same seed, and another for another', async () => {
    const [one, again, other] = [await endedOf(7), await endedOf(7), await endedOf(8)];
    expect(one.length).toBeGreaterThan(0);
    expect(one.length).toBeLessThan(20);
    expect(again).toEqual(one);
    expect(other).not.toEqual(one);
  });

  it('fails probes of one type in their window', async () => {
    const { clock, faults, told } = worldWith(['probe:readiness:app=fail@10s+20s']);
    const input = { pod: newPod({}), container: { name: 'app' }, type: 'readiness' } as ProbeInput;
    expect(faults.probe(input)).toBeUndefined();
    await clock.run(10_000);
    expect(faults.probe(input)).toMatchObject({ result: 'failure' });
    expect(faults.probe({ ...input, type: 'liveness' })).toBeUndefined();
    expect(faults.probe({ ...input, container: { name: 'other' } })).toBeUndefined();
    await clock.run(20_000);
    expect(faults.probe(input)).toBeUndefined();
    expect(told).toHaveLength(1);
  });

  it('keeps images away for a time, also from settings that were read before', async () => {
    const { clock, faults } = worldWith(['image-pull-fail@0s+5s']);
    const verdicts = { containers: { app: { type: 'present' } as const }, volumes: {} };
    const { containers } = faults.images(newPod({}), verdicts);
    expect(containers['app']).toEqual({ type: 'absent', pullError: '--inject image-pull-fail@0s+5s' });
    await clock.run(5000);
    expect(containers['app']).toEqual({ type: 'present' });
  });

  it('moves the wall clock', async () => {
    const { clock } = worldWith(['clock+1h@1s']);
    const { wallMs } = clock.now();
    await clock.run(2000);
    expect(clock.now().wallMs - wallMs).toBe(3_602_000);
  });

  it('does nothing once podrun ends the Pods', async () => {
    const { clock, faults, exits, start } = worldWith(['kill@5s', 'exit:1@100%']);
    faults.close();
    await start('u1/app/0');
    await clock.run(60_000);
    expect(exits).toEqual([]);
    expect(clock.alarmCount).toBe(0);
  });
});

describe('chance', () => {
  it('is spread evenly, and depends on the seed and the key', () => {
    const values = Array.from({ length: 1000 }, (_, index) => chance(1, `${index}`));
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(mean).toBeGreaterThan(0.45);
    expect(mean).toBeLessThan(0.55);
    expect(new Set(values).size).toBe(1000);
    expect(chance(1, 'a')).toBe(chance(1, 'a'));
    expect(chance(2, 'a')).not.toBe(chance(1, 'a'));
  });
});

describe('a fault of a node', () => {
  function changesOf(text: string, nodes: readonly string[], seed: number): { clock: ManualClock; seen: string[] } {
    const clock = new ManualClock();
    const seen: string[] = [];
    const changeNode = (name: string, state: string, { message }: EventDraft): void =>
      void seen.push(`${name} ${state} ${message}`);
    const jumpWall = (): void => undefined;
    const faults = new InjectedFaults({ faults: [readFault(text)], seed, clock, jumpWall });
    faults.check([], 'host', nodes);
    faults.begin(() => undefined, changeNode);
    return { clock, seen };
  }

  it('begins and ends in its time', async () => {
    const { clock, seen } = changesOf('node:node-2=crash@10s+60s', ['node-1', 'node-2'], 1);
    await clock.run(10_000);
    const why = '--inject node:node-2=crash@10s+60s --seed 1';
    expect(seen).toEqual([`node-2 crashed node node-2 is crashed (${why})`]);
    await clock.run(60_000);
    expect(seen.slice(1)).toEqual([`node-2 running node node-2 is back (${why})`]);
  });

  it('without a name is for one that the seed chooses', async () => {
    const chosen = async (seed: number): Promise<string | undefined> => {
      const { clock, seen } = changesOf('node=silent', ['node-1', 'node-2', 'node-3'], seed);
      await clock.run(0);
      return seen[0]?.split(' ')[0];
    };
    const all = await Promise.all(Array.from({ length: 20 }, (_, seed) => chosen(seed)));
    expect(new Set(all)).toEqual(new Set(['node-1', 'node-2', 'node-3']));
    expect(await chosen(7)).toBe(all[7]);
  });

  it('needs nodes', () => {
    expect(() => changesOf('node=crash', [], 1)).toThrow('the run has no nodes beside this machine');
    expect(() => changesOf('node:node-9=crash', ['node-1'], 1)).toThrow('there is no node node-9');
  });
});
