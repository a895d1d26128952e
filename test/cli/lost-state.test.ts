import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it, type TestContext, vi } from 'vitest';
import { PATIENT } from '../patience.ts';
import { type Stage, stageFor } from '../puppet/stage.ts';
import { podPaths } from '../../src/store/index.ts';
import { needTier, TIERS } from './tiers.ts';
import { type Workshop, workshopFor } from './workshop.ts';
import { need, needs } from '../needs.ts';
import { removeTree } from '../../src/remove-tree.ts';

interface Scene {
  readonly workshop: Workshop;
  readonly stage: Stage;
  /** The manifest of a Pod of two puppets: its program, and its preStop hook. */
  readonly pod: string;
}

/** A scene for each test: these tests mostly wait, and run at the same time. */
async function sceneFor(context: TestContext): Promise<Scene> {
  const workshop = workshopFor(context);
  const stage = await stageFor(context);
  const lifecycle = { preStop: { exec: { command: stage.command('hook') } } };
  const containers = [{ name: 'main', command: stage.command('main'), lifecycle }];
  const pod = workshop.pod('web', { terminationGracePeriodSeconds: 600, containers });
  return { workshop, stage, pod };
}

/** Removes the state folder. Looks again into folders in which podrun makes files meanwhile. */
function removeState({ workshop }: Scene): void {
  for (let attempts = 100; ; attempts--) {
    try {
      return removeTree(workshop.stateDir);
    } catch (error) {
      if (attempts === 0 || (error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
    }
  }
}

/** Deletes with a grace period: a forced deletion would cut the hook off after two seconds. */
async function endWithGrace({ stage }: Scene): Promise<void> {
  const hook = await stage.puppet('hook');
  let isGone = false;
  void hook.gone.then(() => (isGone = true));
  await new Promise((resolve) => setTimeout(resolve, 3000));
  expect(isGone).toBe(false);
  hook.exit(0);
}

/** Runs mount(8) in the mount namespace of the machine. */
function mount(...words: string[]): void {
  const { status, stderr } = spawnSync('mount', words);
  if (status !== 0) throw new Error(`cannot mount: ${String(stderr)}`);
}

/** The slowest comes first. */
const LOSSES = [
  {
    how: 'made read-only',
    lose: (state: string) => {
      mount('--bind', state, state);
      mount('-o', 'remount,bind,ro', state);
    },
    why: /cannot use the state folder .*: read-only file system: ending its Pods/,
  },
  {
    how: 'unmounted',
    lose: (state: string) => spawnSync('umount', ['-l', state]),
    why: /the state folder .* was replaced by another folder|the (state folder .*|record of pod\/web) was removed/,
  },
];

/** Only root can mount anything in the mount namespace of the machine. */
describe.concurrent.each(LOSSES)(
  'when the state folder, a file system of its own, is $how',
  needs('mounts for all'),
  ({ lose, why }) => {
    /** A scene whose state folder is unmounted before the workshop removes its folder. */
    async function mountedSceneFor(context: TestContext): Promise<Scene> {
      const scene = await sceneFor(context);
      const { stateDir } = scene.workshop;
      mkdirSync(stateDir, { recursive: true });
      mount('-t', 'tmpfs', '-o', 'size=8m', 'podrun-state', stateDir);
      context.onTestFinished(() => {
        while (spawnSync('umount', ['-l', stateDir]).status === 0);
      });
      return scene;
    }

    it('a run in the foreground ends its Pods gracefully, reports why, and fails', async (context) => {
      const scene = await mountedSceneFor(context);
      const { workshop, stage, pod } = scene;
      const run = workshop.start(['apply', pod]);
      const puppet = await stage.puppet('main');
      await run.until(({ stdout }) => stdout.includes('started'));
      lose(workshop.stateDir);
      await endWithGrace(scene);
      await puppet.gone;
      const { exitCode, stderr } = await run.ended;
      expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringMatching(why) });
      expect(stderr).not.toMatch(/defect|^\s+at /m);
      expect(workshop.processes()).toEqual([]);
    });

    it('a background agent ends its Pods gracefully, reports why, and ends itself', async (context) => {
      const scene = await mountedSceneFor(context);
      const { workshop, stage, pod } = scene;
      await workshop.run(['apply', '-d', pod, '--wait', '--until', 'ready']);
      const puppet = await stage.puppet('main');
      // An open descriptor reads the log of the agent, even when the folder is gone.
      const log = openSync(path.join(workshop.stateDir, 'agent.log'), 'r');
      lose(workshop.stateDir);
      await endWithGrace(scene);
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

it.concurrent('nothing is lost of a Pod that waits for a node when its record is removed', async (context) => {
  const workshop = workshopFor(context);
  const containers = [{ name: 'main', command: ['true'] }];
  const run = workshop.start(['apply', workshop.pod('web', { nodeSelector: { nothing: 'here' }, containers })]);
  await run.until(({ stdout, stderr }) => (stdout + stderr).includes('NodeLabelsMissing'));
  removeTree(podPaths(workshop.stateDir, 'default', 'web').folder);
  const { exitCode, stdout, stderr } = await run.ended;
  expect({ exitCode, said: stdout + stderr }).toEqual({ exitCode: 1, said: expect.stringMatching(/web +deleted/) });
  expect(stderr).not.toContain('was removed');
});

describe.concurrent.each(TIERS)('when the state folder is removed (%s)', (tier) => {
  beforeEach((test) => {
    needTier(test, tier);
    // A user's containers have the places of their files in that folder: they go with it, and no hook can run.
    if (tier === 'namespace') need(test, 'root');
  });

  it('a run in the foreground ends its Pods gracefully, reports why, and fails', async (context) => {
    const scene = await sceneFor(context);
    const { workshop, stage, pod } = scene;
    const run = workshop.start(['apply', pod, '--runtime', tier]);
    const puppet = await stage.puppet('main');
    await run.until(({ stderr, stdout }) => (stderr + stdout).includes('started'));
    removeState(scene);
    await endWithGrace(scene);
    await puppet.gone;
    const { exitCode, stderr } = await run.ended;
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/the (state folder .*|record of pod\/web) was removed/);
    expect(workshop.processes()).toEqual([]);
  });

  it('a background agent ends its Pods gracefully, and then itself', async (context) => {
    const scene = await sceneFor(context);
    const { workshop, stage, pod } = scene;
    await workshop.run(['apply', '-d', pod, '--runtime', tier, '--wait', '--until', 'ready']);
    const puppet = await stage.puppet('main');
    removeState(scene);
    await endWithGrace(scene);
    await puppet.gone;
    await vi.waitUntil(() => workshop.backgroundProcesses().length === 0, PATIENT);
    expect(workshop.processes()).toEqual([]);
    expect(existsSync(workshop.stateDir)).toBe(false);
  });
});
