import { describe, expect, it } from 'vitest';
import type { ContainerStatus } from '../../src/api/generated/types.ts';
import { distinct, PodSimulation } from './pod-simulation.ts';

const COUNT = 30;

/** The statuses of a container in short: state, exit code, readiness, restarts. */
function story(pod: PodSimulation, name: string): string[] {
  const statuses = pod.seen.flatMap(({ status }) => status?.containerStatuses?.find((one) => one.name === name) ?? []);
  return distinct(statuses.map(stateOf));
}

function stateOf({ state = {}, ready, restartCount }: ContainerStatus): string {
  const what = state.running ? 'running' : `exited ${state.terminated?.exitCode}`;
  return `${state.waiting === undefined ? what : 'waiting'}${ready ? ' ready' : ''} ${restartCount}`;
}

const containers = Array.from({ length: COUNT }, (_, index) => ({ name: `c${index}`, image: 'app' }));
const statusesOf = (pod: PodSimulation): number => pod.seen.filter(({ status }) => status !== undefined).length;

describe('a Pod of many containers', () => {
  it('publishes together what ends at the same moment', async () => {
    const pod = await new PodSimulation({ spec: { containers } }).start();
    await pod.clock.run(1000);
    for (const { name } of containers) expect(story(pod, name)).toEqual(['waiting 0', 'running ready 0']);
    expect(pod.condition('Ready').at(-1)).toBe('True');
    const before = statusesOf(pod);
    pod.worker.terminate({ force: false });
    await pod.clock.run(60_000);
    expect(statusesOf(pod) - before).toBeLessThan(COUNT / 2);
    for (const { name } of containers) expect(story(pod, name).at(-1)).toBe('exited 143 0');
    expect(pod.finished).toBe(true);
    expect(pod.phases.at(-1)).toBe('Failed');
  });

  it('leaves out no state of any of them', async () => {
    const behave = (name: string, attempt: number) =>
      attempt < 2 ? { exitAfterMs: Number(name.slice(1)) % 7, exitCode: attempt + 1 } : {};
    const crashLoop = { initialMs: 1, maxMs: 1 };
    const pod = await new PodSimulation({ spec: { containers }, behave, crashLoop }).start();
    await pod.clock.run(10_000);
    for (const { name } of containers) {
      const seen = story(pod, name).filter((state) => !state.startsWith('waiting'));
      expect(seen).toEqual(['running ready 0', 'exited 1 0', 'running ready 1', 'exited 2 1', 'running ready 2']);
    }
  });

  it('publishes its phase and its conditions at once', async () => {
    const ready = { periodSeconds: 1, exec: { command: ['check'] } };
    const probed = containers.map((one, index) => (index === 7 ? { ...one, readinessProbe: ready } : one));
    const pod = new PodSimulation({ spec: { containers: probed }, behaveExec: () => ({ afterMs: 250 }) });
    await pod.start();
    await pod.clock.run(2000);
    const published = pod.seen.find(({ status }) =>
      status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
    );
    expect(pod.attempts[0]).toMatchObject({ result: 'success' });
    expect(published?.atMs).toBe(250);
  });
});
