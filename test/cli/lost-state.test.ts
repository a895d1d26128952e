import { existsSync, rmSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { PATIENT } from '../patience.ts';
import { stageForEach } from '../puppet/stage.ts';
import { TIERS } from './tiers.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const stage = stageForEach();

const podOf = () =>
  workshop.pod('web', {
    containers: [
      {
        name: 'main',
        command: stage.command('main'),
        lifecycle: { preStop: { exec: { command: stage.command('hook') } } },
      },
    ],
  });

/** podrun may be writing into the folder meanwhile: then a folder that was emptied is not empty. */
function removeState(): void {
  rmSync(workshop.stateDir, { recursive: true, maxRetries: 10 });
}

/** A deletion by force would break the hook off after two seconds. */
async function endWithGrace(): Promise<void> {
  const hook = await stage.puppet('hook');
  let isGone = false;
  void hook.gone.then(() => (isGone = true));
  await new Promise((resolve) => setTimeout(resolve, 3000));
  expect(isGone).toBe(false);
  hook.exit(0);
}

describe.each(TIERS)('when the state folder is removed (%s)', (tier) => {
  it('a run in the foreground ends its Pods with grace, says why, and fails', async () => {
    const run = workshop.start(['apply', podOf(), '--runtime', tier]);
    const puppet = await stage.puppet('main');
    await run.until(({ stderr, stdout }) => (stderr + stdout).includes('started'));
    removeState();
    await endWithGrace();
    await puppet.gone;
    const { exitCode, stderr } = await run.ended;
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/the (state folder .*|record of pod\/web) was removed/);
    expect(workshop.processes()).toEqual([]);
  });

  it('a background agent ends its Pods with grace, and itself', async () => {
    await workshop.run(['apply', '-d', podOf(), '--runtime', tier, '--wait', '--until', 'ready']);
    const puppet = await stage.puppet('main');
    removeState();
    await endWithGrace();
    await puppet.gone;
    await vi.waitUntil(() => workshop.backgroundProcesses().length === 0, PATIENT);
    expect(workshop.processes()).toEqual([]);
    expect(existsSync(workshop.stateDir)).toBe(false);
  });
});
