import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PATIENT } from '../patience.ts';
import { ControlPlane, isOk } from './control-plane.ts';
import { meetingPlaces, processesOf, startSuite } from './killed-suite.ts';

/** CI tries some. */
const SUITES = Number(process.env['PODRUN_SUITES'] ?? 100);
const TOGETHER = 4;

/** Starts both programs and ends them by signals. */
async function startAndEnd(plane: ControlPlane): Promise<void> {
  await plane.startEtcd();
  await plane.startApi();
  expect([await plane.end(plane.api), await plane.end(plane.etcd)]).toEqual([0, 0]);
}

/** Starts both programs, and kills the process that has started them. */
async function startAndKill(plane: ControlPlane): Promise<void> {
  const { suite } = startSuite(plane);
  await expect.poll(() => isOk(`https://127.0.0.1:${plane.port}/healthz`), PATIENT).toBe(true);
  suite.kill('SIGKILL');
}

describe('many suites', () => {
  it('leave no process and no file, whether they end or are killed', async () => {
    const rounds = SUITES / TOGETHER;
    const inTurn = async (): Promise<void> => {
      const plane = new ControlPlane();
      try {
        await plane.prepare();
        for (let round = 0; round < rounds; round++) {
          await (round % 2 === 0 ? startAndEnd(plane) : startAndKill(plane));
          await expect.poll(() => processesOf(plane), PATIENT).toEqual([]);
          expect([existsSync(plane.dataDir), meetingPlaces(plane)]).toEqual([false, []]);
        }
      } finally {
        plane.remove();
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, inTurn));
  });
});
