import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, readFileSync, realpathSync } from 'node:fs';
import type { TestContext } from 'vitest';
import type { Container, PodSpec } from '../../src/api/generated/types.ts';
import { mountOf, readHostMounts } from '../../src/runtime/linux/namespace/host-mounts.ts';
import { type Ended, Podrun, type Workshop, workshopFor } from '../cli/workshop.ts';

/** The user that runs podrun, and the runtime of its containers. */
export interface World {
  readonly who: 'root' | 'user';
  readonly tier: 'process' | 'namespace';
}

const NAMESPACES = ['unshare', '--mount', '--pid', '--fork', 'true'];
const USER_NAMESPACES = ['unshare', '--user', '--map-root-user', '--mount', '--pid', '--fork', 'true'];
export const ORDINARY_USER = 65533;
const AS_USER = ['setpriv', '--reuid', `${ORDINARY_USER}`, '--regid', `${ORDINARY_USER}`, '--clear-groups'];

const isLinux = process.platform === 'linux';
const isRoot = process.getuid?.() === 0;

/** The worlds that this machine permits. vitest reports the other tests as skipped. */
const PERMITTED: Readonly<Record<string, boolean>> = {
  'root process': isLinux && isRoot,
  'root namespace': isLinux && isRoot && works(NAMESPACES),
  'user process': isLinux,
  'user namespace': isLinux && works([...(isRoot ? AS_USER : []), ...USER_NAMESPACES]),
};

export const ROOT_APART: World = { who: 'root', tier: 'namespace' };
export const USER_APART: World = { who: 'user', tier: 'namespace' };
/** The worlds in which containers have a boundary. */
export const APART: readonly World[] = [ROOT_APART, USER_APART];

export function isPermitted({ who, tier }: World): boolean {
  return PERMITTED[`${who} ${tier}`] === true;
}

/** Skips a test whose world this machine does not permit. */
export function need(context: TestContext, world: World): void {
  if (!isPermitted(world)) context.skip(`this machine does not permit: ${world.who}, ${world.tier} tier`);
}

/** Skips a test whose folder cannot lie over the files of this machine: an overlay below it, as in a container. */
export function needCoverable(context: TestContext, { tier }: World, folder: string): void {
  const isOnOverlay = tier === 'namespace' && mountOf(realpathSync(folder), readHostMounts())?.type === 'overlay';
  if (isOnOverlay) context.skip(`${folder} is on an overlay`);
}

/** A Pod whose program tries to escape. */
export interface Attempt {
  readonly world: World;
  readonly workshop: Workshop;
}

/** Makes a new folder for the user that runs podrun. It is the working folder, which containers share. */
export function attemptIn(context: TestContext, world: World): Attempt {
  need(context, world);
  const workshop = workshopFor(context);
  chmodSync(workshop.folder, 0o755);
  if (isRoot && world.who === 'user') chownSync(workshop.folder, ORDINARY_USER, ORDINARY_USER);
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
  const as = isRoot && world.who === 'user' ? AS_USER : [];
  const [file = '', ...words] = [...before, ...as, ...workshop.commandLine(args)];
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
  if (!/Pod +(Succeeded|Failed)/.test(ended.stdout)) throw new Error(`${ended.stdout}\n${ended.stderr}`);
  return [...ended.stdout.matchAll(/^main \| (.*?) *$/gm)].map(([, line = '']) => line);
}

export function works([file = '', ...args]: readonly string[]): boolean {
  return spawnSync(file, args).status === 0;
}

export function hasProgram(name: string): boolean {
  return works(['sh', '-c', `command -v ${name}`]);
}

/** The mount table of this process. */
export function mountTable(): string {
  return readFileSync('/proc/self/mountinfo', 'utf8');
}
