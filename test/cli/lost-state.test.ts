import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
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

/** Removes the state folder. Looks again into folders in which podrun makes files meanwhile. */
function removeState(): void {
  for (let attempts = 100; ; attempts--) {
    try {
      return rmSync(workshop.stateDir, { recursive: true });
    } catch (error) {
      if (attempts === 0 || (error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    }
  }
}

/** Deletes with a grace period: a forced deletion would cut the hook off after two seconds. */
async function endWithGrace(): Promise<void> {
  const hook = await stage.puppet('hook');
  let isGone = false;
  void hook.gone.then(() => (isGone = true));
  await new Promise((resolve) => setTimeout(resolve, 3000));
  expect(isGone).toBe(false);
  hook.exit(0);
}

describe.each(TIERS)('when the state folder is removed (%s)', (tier) => {
  it('a run in the foreground ends its Pods gracefully, reports why, and fails', async () => {
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

  it('a background agent ends its Pods gracefully, and then itself', async () => {
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

/** Runs mount(8) in the mount namespace of the machine. */
function mount(...words: string[]): void {
  const { status, stderr } = spawnSync('mount', words);
  if (status !== 0) throw new Error(`cannot mount: ${String(stderr)}`);
}

const LOSSES = [
  {
    how: 'unmounted',
    lose: (state: string) => spawnSync('umount', ['-l', state]),
    why: /the state folder .* was replaced by another folder|the (state folder .*|record of pod\/web) was removed/,
  },
  {
    how: 'made read-only',
    lose: (state: string) => {
      mount('--bind', state, state);
      mount('-o', 'remount,bind,ro', state);
    },
    why: /cannot use the state folder .*: read-only file system: ending its Pods/,
  },
];

/** Only root can mount anything in the mount namespace of the machine. */
describe.runIf(process.platform === 'linux' && process.getuid?.() === 0).each(LOSSES)(
  'when the state folder, a file system of its own, is $how',
  ({ lose, why }) => {
    const mountState = (): void => {
      mkdirSync(workshop.stateDir, { recursive: true });
      mount('-t', 'tmpfs', '-o', 'size=8m', 'podrun-state', workshop.stateDir);
    };

    // Runs before the workshop removes its folder.
    afterEach(() => {
      while (spawnSync('umount', ['-l', workshop.stateDir]).status === 0);
    });

    it('a run in the foreground ends its Pods gracefully, reports why, and fails', async () => {
      mountState();
      const run = workshop.start(['apply', podOf()]);
      const puppet = await stage.puppet('main');
      await run.until(({ stdout }) => stdout.includes('started'));
      lose(workshop.stateDir);
      await endWithGrace();
      await puppet.gone;
      const { exitCode, stderr } = await run.ended;
      expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringMatching(why) });
      expect(stderr).not.toMatch(/defect|^\s+at /m);
      expect(workshop.processes()).toEqual([]);
    });

    it('a background agent ends its Pods gracefully, reports why, and ends itself', async () => {
      mountState();
      await workshop.run(['apply', '-d', podOf(), '--wait', '--until', 'ready']);
      const puppet = await stage.puppet('main');
      // An open descriptor reads the log of the agent, even when the folder is gone.
      const log = openSync(path.join(workshop.stateDir, 'agent.log'), 'r');
      lose(workshop.stateDir);
      await endWithGrace();
      await puppet.gone;
      await vi.waitUntil(() => workshop.backgroundProcesses().length === 0, PATIENT);
      const said = readFileSync(log, 'utf8');
      closeSync(log);
      expect(said).toMatch(why);
      expect(said).not.toMatch(/defect|^\s+at /m);
      expect(workshop.processes()).toEqual([]);
    });
  },
);
