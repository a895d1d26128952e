import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, realpathSync } from 'node:fs';
import type { TestContext } from 'vitest';
import type { Container, PodSpec } from '../../src/api/generated/types.ts';
import { mountOf, readHostMounts } from '../../src/runtime/linux/paths/host-mounts.ts';
import { type Ended, Podrun, type Workshop, workshopFor } from '../cli/workshop.ts';
import { type Need, need } from '../needs.ts';
import { giveToOrdinaryUser, podrunAsOrdinaryUser } from '../ordinary-user.ts';

/** The user that runs podrun, and the runtime of its containers. */
export interface World {
  readonly who: 'root' | 'user';
  readonly tier: 'process' | 'namespace';
}

const NEEDS: Readonly<Record<`${World['who']} ${World['tier']}`, readonly Need[]>> = {
  'root process': ['root'],
  'root namespace': ['root', 'namespaces'],
  'user process': ['an ordinary user'],
  'user namespace': ['namespaces of an ordinary user'],
};

export const ROOT_APART: World = { who: 'root', tier: 'namespace' };
export const USER_APART: World = { who: 'user', tier: 'namespace' };
/** The worlds in which containers have a boundary. */
export const APART: readonly World[] = [ROOT_APART, USER_APART];

/** Skips a test whose world this machine does not permit. */
export function needWorld(context: TestContext, { who, tier }: World): void {
  need(context, ...NEEDS[`${who} ${tier}`]);
}

/** Skips a test whose folder cannot lie over the files of this machine: an overlay below it, as in a container. */
export function needCoverable(context: TestContext, { tier }: World, folder: string): void {
  const isOnOverlay = tier === 'namespace' && mountOf(realpathSync(folder), readHostMounts())?.type === 'overlay';
  need(context, { 'a temporary folder that is on no overlay': !isOnOverlay });
}

/** A Pod whose program tries to escape. */
export interface Attempt {
  readonly world: World;
  readonly workshop: Workshop;
}

/** Makes a new folder for the user that runs podrun. It is the working folder, which containers share. */
export function attemptIn(context: TestContext, world: World): Attempt {
  needWorld(context, world);
  const workshop = workshopFor(context);
  chmodSync(workshop.folder, 0o755);
  if (world.who === 'user') giveToOrdinaryUser(workshop.folder);
  return { world, workshop };
}

/** A Pod with one container that runs a shell script once. */
export function escaping(script: string, container: Partial<Container> = {}, more: Partial<PodSpec> = {}): PodSpec {
  const main = { name: 'main', image: 'escape', command: ['sh', '-c', script], ...container };
  return { restartPolicy: 'Never', containers: [main], ...more };
}

export function start(attempt: Attempt, args: readonly string[], before: readonly string[] = []): Podrun {
  const { world, workshop } = attempt;
  const places = { PODRUN_STATE_DIR: workshop.stateDir, HOME: workshop.folder, XDG_RUNTIME_DIR: workshop.folder };
  const podrun = world.who === 'user' ? podrunAsOrdinaryUser(args) : workshop.commandLine(args);
  const [file = '', ...words] = [...before, ...podrun];
  const child = spawn(file, words, {
    cwd: workshop.folder,
    env: { ...process.env, ...places, PODRUN_RUNTIME: world.tier, NO_COLOR: '1', CI: 'true' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return new Podrun(child);
}

/** Runs the Pod to its end. Answers the output of its program. */
export async function run(attempt: Attempt, spec: PodSpec, flags: readonly string[] = []): Promise<string[]> {
  return linesOf(await start(attempt, ['apply', '-f', attempt.workshop.pod('web', spec), ...flags]).ended);
}

function linesOf(ended: Ended): string[] {
  if (!/[✓✗] \S+ +(Succeeded|Failed)/.test(ended.stdout)) throw new Error(`${ended.stdout}\n${ended.stderr}`);
  return [...ended.stdout.matchAll(/│ main +(.*?) *$/gm)].map(([, line = '']) => line);
}

export function works([file = '', ...args]: readonly string[]): boolean {
  return spawnSync(file, args).status === 0;
}

/** The mount table of this process. */
export function mountTable(): string {
  return readFileSync('/proc/self/mountinfo', 'utf8');
}
