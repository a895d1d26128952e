import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { readProgram } from '../../src/simulation/read-program.ts';
import { Simulation } from '../../src/simulation/simulation.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { loadText } from '../manifest/load-text.ts';

const DAY_MS = 24 * 3_600_000;

/** The last states of the Pods of a manifest after a time, and all changes and events. */
async function simulated(
  manifest: string,
  programs: readonly string[],
  ms: number = DAY_MS,
): Promise<{ pods: readonly StoredPod[]; seen: readonly string[] }> {
  const { objects, errors } = await loadText(manifest);
  expect(errors).toEqual([]);
  const seen: string[] = [];
  const simulation = new Simulation({
    programs: new Map(programs.map(readProgram).map(({ container, lives }) => [container, lives])),
    clock: new ManualClock(Date.UTC(2026, 0, 1)),
    onPod: (event) => seen.push(JSON.stringify(event)),
    onObject: (event) => seen.push(JSON.stringify(event)),
    onEvent: (event) => seen.push(JSON.stringify(event)),
  });
  simulation.begin(objects.map(({ object }) => object));
  await simulation.run(ms);
  return { pods: simulation.pods, seen };
}

const restartsOf = (pod: StoredPod | undefined): number | undefined => pod?.status.containerStatuses?.[0]?.restartCount;

const POD = `
apiVersion: v1
kind: Pod
metadata: { name: web }
spec:
  terminationGracePeriodSeconds: 5
  containers:
    - name: app
      image: app:1
      livenessProbe: { httpGet: { port: 80 }, periodSeconds: 10, failureThreshold: 3 }
`;

const CRON = `
apiVersion: batch/v1
kind: CronJob
metadata: { name: report }
spec:
  schedule: '0 */6 * * *'
  successfulJobsHistoryLimit: 10
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{ name: main, image: app:1 }]
`;

describe('a simulated day', () => {
  it('has as many restarts as the back-off of a node permits', async () => {
    const { pods } = await simulated(POD, ['app=exits 3 after 10s']);
    // At once, then after 10, 20, 40, 80 and 160 s, then every 310 s.
    expect(restartsOf(pods[0])).toBe(283);
  });

  it('ends what its liveness probe fails, after the grace period if it ignores TERM', async () => {
    const { pods } = await simulated(POD, ['app=never ready, ignores TERM then runs'], 600_000);
    expect(pods[0]?.status.containerStatuses?.[0]).toMatchObject({
      restartCount: 1,
      lastState: { terminated: { exitCode: 137, finishedAt: expect.stringMatching(/00:00:[23]5/) } },
    });
  });

  it('runs the controllers: a CronJob at six, twelve and eighteen', async () => {
    const { pods } = await simulated(CRON, []);
    expect(pods.map(({ status }) => status.phase)).toEqual(['Succeeded', 'Succeeded', 'Succeeded']);
  });

  it('is the same each time, to the last byte', async () => {
    const [one, other] = [await simulated(CRON, []), await simulated(CRON, [])];
    expect(one.seen.length).toBeGreaterThan(20);
    expect(other.seen).toEqual(one.seen);
  });
});
