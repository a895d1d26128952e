import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { makeFileExactly, makeFolderExactly } from '../../../exact-mode.ts';
import { removeTree } from '../../../remove-tree.ts';
import type { MountPlan } from './mount-plan.ts';

/** The devices of every container. Source: runc, libcontainer/specconv AllowedDevices. */
const DEVICES: ReadonlySet<string> = new Set(['null', 'zero', 'full', 'random', 'urandom', 'tty', 'ptmx']);

const LINKS = [
  ['fd', '/proc/self/fd'],
  ['stdin', '/proc/self/fd/0'],
  ['stdout', '/proc/self/fd/1'],
  ['stderr', '/proc/self/fd/2'],
] as const;

/** The default termination log of containers. */
const TERMINATION_LOG = 'termination-log';

const FOLDERS = ['pts', 'shm', 'mqueue'];

/** Folders of /dev that are not the host's. */
const OWN_FOLDERS = ['shm', 'mqueue'];

const TERMINALS = ['pts', 'ptmx'];

/** The options for shared memory. Source of its size: containerd, pkg/cri defaultShmSize. */
export const SHARED_MEMORY_OPTIONS: readonly string[] = ['nosuid', 'nodev', 'noexec', 'mode=1777', 'size=64m'];

interface DeviceOptions {
  /** The folder for the container's own /dev. Created here. */
  readonly folder: string;
  /**
   * A folder with the same content that all containers share, each with its own layer. Undefined: there are no layers.
   */
  readonly common: string | undefined;
  /** True: all devices of the host. */
  readonly hasAll: boolean;
  /** The group of the container's own terminals, if there can be one. Undefined: it has the host's terminals. */
  readonly ownTerminals: { readonly group: number | undefined } | undefined;
  readonly hostIPC: boolean;
  /** The folder of the Pod's shared memory. Undefined: the container gets its own. */
  readonly sharedMemory: string | undefined;
}

/**
 * Gives a container a /dev of its own: the standard devices, shared memory, and terminals. In the host's /dev, programs
 * find the terminal in which they run.
 */
export function addDevices(view: MountPlan, options: DeviceOptions): void {
  const { folder, common, hasAll, ownTerminals, hostIPC, sharedMemory } = options;
  if (common === undefined) {
    makeDevEntries(folder);
    view.bind({ source: folder, target: '/dev', isReadOnly: false });
  } else {
    makeCommon(common);
    view.overlay({ lower: common, target: '/dev', isReadOnly: false });
  }
  const present = readdirSync('/dev', { withFileTypes: true });
  const visible = present.filter(({ name }) => DEVICES.has(name) || name === 'pts' || hasAll);
  const own = new Set([...OWN_FOLDERS, ...LINKS.map(([name]) => name), ...(ownTerminals ? TERMINALS : [])]);
  for (const entry of visible.filter(({ name }) => !own.has(name))) {
    if (entry.isSymbolicLink()) continue;
    const file = path.join('/dev', entry.name);
    view.device(file);
  }
  if (ownTerminals !== undefined) view.terminals(ownTerminals.group);
  if (hostIPC || sharedMemory !== undefined) {
    view.bind({ source: sharedMemory ?? '/dev/shm', target: '/dev/shm', isReadOnly: false });
  } else view.mount('/dev/shm', 'tmpfs', SHARED_MEMORY_OPTIONS);
  if (hostIPC && present.some(({ name }) => name === 'mqueue')) {
    view.bind({ source: '/dev/mqueue', target: '/dev/mqueue', isReadOnly: false });
  } else if (!hostIPC) view.mount('/dev/mqueue', 'mqueue', ['nosuid', 'nodev', 'noexec']);
}

/** Creates the entries of every /dev, with nothing mounted yet. */
function makeDevEntries(folder: string): void {
  makeFolderExactly(folder, 0o755);
  for (const [name, target] of LINKS) symlinkSync(target, path.join(folder, name));
  for (const name of FOLDERS) makeFolderExactly(path.join(folder, name), 0o755);
  for (const name of [...DEVICES, TERMINATION_LOG]) makeFileExactly(path.join(folder, name), 0o644);
}

/** Creates the common folder once, under a temporary name first: other podruns never see it incomplete. */
function makeCommon(folder: string): void {
  if (existsSync(folder)) return;
  mkdirSync(path.dirname(folder), { recursive: true, mode: 0o700 });
  const made = `${folder}.${process.pid}`;
  removeTree(made);
  makeDevEntries(made);
  try {
    renameSync(made, folder);
  } catch (error) {
    removeTree(made);
    if (!existsSync(folder)) throw error;
  }
}

/*
 * Kernel files about the whole machine, visible in every /proc and /sys: they reveal facts of the machine or change it.
 */

/** Paths that are empty in containers. Source: pkg/securitycontext/util.go defaultMaskedPaths. */
export const MASKED_FILES: readonly string[] = [
  '/proc/acpi',
  '/proc/asound',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/sys/devices/virtual/powercap',
  '/sys/firmware',
];

/** Paths that are read-only in containers. Source: pkg/securitycontext/util.go defaultReadonlyPaths. */
export const READ_ONLY_FILES: readonly string[] = [
  '/proc/bus',
  '/proc/fs',
  '/proc/irq',
  '/proc/sys',
  '/proc/sysrq-trigger',
];

/** Sockets of container engines: a client is root of the machine, or the user of the engine. */
export function engineSockets(uid: number, home: string): string[] {
  return [
    '/run/docker.sock',
    '/run/containerd/containerd.sock',
    '/run/podman/podman.sock',
    '/run/crio/crio.sock',
    `/run/user/${uid}/docker.sock`,
    `/run/user/${uid}/podman/podman.sock`,
    `${home}/.docker/run/docker.sock`,
    `${home}/.docker/desktop/docker.sock`,
  ];
}
