import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext, TestOptions } from 'vitest';
import { quietly } from '../src/quietly.ts';
import { cgroupMachine } from '../src/runtime/linux/cgroup/cgroup-machine.ts';
import { archiveOf } from './images/archive.ts';
import { asOrdinaryUser, isRoot, podrunAsOrdinaryUser } from './ordinary-user.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** The things that the machine lacks for a test that was skipped. */
    lacks?: readonly string[];
  }
}

/** A mount and a view of processes, as each container with namespaces has them. */
const INSIDE = ['--mount', '--pid', '--fork', 'sh', '-c', 'mount -t tmpfs tmpfs "$0" && mount -t proc proc /proc'];
const OF_USERS = ['unshare', '--user', '--map-root-user'];
const LOOPBACK = ['ip', 'link', 'set', 'lo', 'up'];
const NETWORK_OF_USERS = ['unshare', '--user', '--map-current-user', '--keep-caps', '--net', ...LOOPBACK];
const LIMITED = ['memory', 'cpu', 'pids'] as const;
const TMPFS = 0x01021994;

type Trial =
  | 'Linux'
  | 'root'
  | 'an ordinary user'
  | 'a user bound by modes'
  | 'mounts for all'
  | 'private mounts'
  | 'namespaces'
  | 'namespaces of an ordinary user'
  | 'user namespaces'
  | 'PID namespaces'
  | 'networks'
  | 'networks of an ordinary user'
  | 'device nodes'
  | 'trusted attributes'
  | 'layers of images'
  | 'cgroups'
  | '/dev/shm in memory'
  | 'terminals'
  | 'script of util-linux';

/**
 * The trials of what a test may need of the machine, each made when a test asks for it the first time. The outcome
 * counts, not the id of the user: root of a container may less than root of a machine.
 */
const TRIALS: Readonly<Record<Trial, () => boolean>> = {
  Linux: () => process.platform === 'linux',
  root: () => isRoot && inFolder((folder) => works('chown', '65533:65533', folder)),
  'an ordinary user': () => process.platform === 'linux' && works(...podrunAsOrdinaryUser(['version'])),
  'a user bound by modes': () => inFolder((folder) => !canRead(closedFile(folder))),
  'mounts for all': () => inFolder((at) => works('mount', '-t', 'tmpfs', 'tmpfs', at) && works('umount', at)),
  'private mounts': () => inFolder((at) => works('unshare', '--mount', 'mount', '-t', 'tmpfs', 'tmpfs', at)),
  namespaces: () => inFolder((at) => (isRoot && works('unshare', ...INSIDE, at)) || works(...OF_USERS, ...INSIDE, at)),
  'namespaces of an ordinary user': () =>
    has('an ordinary user') && works(...asOrdinaryUser([...OF_USERS, ...INSIDE, tmpdir()])),
  'user namespaces': () => works(...OF_USERS, 'true'),
  'PID namespaces': () => works('unshare', '--pid', '--fork', '--mount-proc', 'true'),
  networks: () => works(...(isRoot ? ['unshare', '--net', ...LOOPBACK] : NETWORK_OF_USERS)),
  'networks of an ordinary user': () => has('an ordinary user') && works(...asOrdinaryUser(NETWORK_OF_USERS)),
  'device nodes': () => inFolder((at) => works('mknod', `${at}/null`, 'c', '1', '3') && canRead(`${at}/null`)),
  'trusted attributes': () => keepsAttribute('trusted.overlay.opaque'),
  'layers of images': () => has('trusted attributes') || keepsAttribute('user.overlay.opaque', OF_USERS),
  cgroups: () => LIMITED.every((controller) => cgroupMachine().locations.has(controller)),
  '/dev/shm in memory': () => process.platform === 'linux' && isTmpfs('/dev/shm'),
  terminals: () => quietly(() => createRequire(import.meta.filename)('@lydell/node-pty')) !== undefined,
  'script of util-linux': () => outputOf('script', '--version').includes('util-linux'),
};

/** The name of a trial, of a program on PATH, or of anything that the test has looked for by itself: is it there? */
export type Need = Trial | `program ${string}` | Readonly<Record<string, boolean>>;

const known = new Map<string, boolean>();

/** True when the machine has it. */
export function has(need: Need): boolean {
  return missingOf(need).length === 0;
}

/**
 * The options of a suite or a test that needs something of the machine: it is skipped where the machine lacks it, and
 * listed at the end of the run.
 *
 *     describe('a state folder', needs('mounts that all see'), () => {
 */
export function needs(...wanted: readonly Need[]): TestOptions {
  const lacks = wanted.flatMap(missingOf);
  return lacks.length === 0 ? {} : { skip: true, meta: { lacks } };
}

/** Skips a running test whose machine lacks something: in the test, or in a `beforeEach` of its suite. */
export function need(context: TestContext, ...wanted: readonly Need[]): void {
  const lacks = wanted.flatMap(missingOf);
  if (lacks.length === 0) return;
  context.task.meta.lacks = lacks;
  context.skip(`needs ${lacks.join(', ')}`);
}

function missingOf(wanted: Need): string[] {
  if (typeof wanted === 'object') return Object.entries(wanted).flatMap(([name, isThere]) => (isThere ? [] : [name]));
  const found = known.get(wanted) ?? (isTrial(wanted) ? TRIALS[wanted]() : isProgram(wanted.slice('program '.length)));
  known.set(wanted, found);
  return found ? [] : [wanted];
}

function isTrial(word: string): word is Trial {
  return Object.hasOwn(TRIALS, word);
}

function isProgram(name: string): boolean {
  return works('sh', '-c', 'command -v "$0"', name);
}

function works(file = '', ...args: readonly string[]): boolean {
  return spawnSync(file, args, { stdio: 'ignore' }).status === 0;
}

function outputOf(file: string, ...args: readonly string[]): string {
  return String(spawnSync(file, args).stdout ?? '');
}

/** Tries something in a new folder, which is removed. */
function inFolder(trial: (folder: string) => boolean): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-trial-'));
  try {
    return trial(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function closedFile(folder: string): string {
  const file = path.join(folder, 'closed');
  writeFileSync(file, '', { mode: 0 });
  return file;
}

function canRead(file: string): boolean {
  return quietly(() => closeSync(openSync(file, 'r')) ?? true) === true;
}

/** True when tar(1) can give a folder this attribute. It warns when it cannot. */
function keepsAttribute(name: string, before: readonly string[] = []): boolean {
  const input = archiveOf([{ name: 'a/', pax: { [`SCHILY.xattr.${name}`]: 'y' } }]);
  return inFolder((folder) => {
    const [file, ...args] = [...before, 'tar', '-x', '--xattrs', '--xattrs-include=*', '-C', folder];
    const { status, stderr } = spawnSync(file, args, { input });
    return status === 0 && String(stderr) === '';
  });
}

function isTmpfs(place: string): boolean {
  return quietly(() => statfsSync(place).type) === TMPFS;
}
