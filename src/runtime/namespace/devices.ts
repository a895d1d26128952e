import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { View } from './view.ts';

/** What every container has. Source: runc, libcontainer/specconv AllowedDevices. */
const DEVICES: ReadonlySet<string> = new Set(['null', 'zero', 'full', 'random', 'urandom', 'tty', 'ptmx']);

const LINKS = [
  ['fd', '/proc/self/fd'],
  ['stdin', '/proc/self/fd/0'],
  ['stdout', '/proc/self/fd/1'],
  ['stderr', '/proc/self/fd/2'],
] as const;

/** Where containers leave their last words, unless they choose another place. */
const TERMINATION_LOG = 'termination-log';

const FOLDERS = ['pts', 'shm', 'mqueue'];

/** Folders of /dev that are made otherwise than by showing the host's. */
const OWN_FOLDERS: ReadonlySet<string> = new Set(['shm', 'mqueue']);

/** How shared memory is mounted. Source of its size: containerd, pkg/cri defaultShmSize. */
export const SHARED_MEMORY_OPTIONS: readonly string[] = ['nosuid', 'nodev', 'noexec', 'mode=1777', 'size=64m'];

export interface DeviceOptions {
  /** Where the container's own /dev may be; made here. */
  readonly folder: string;
  /** A folder like it that all containers see, each with a layer of its own; undefined: there are no layers. */
  readonly common: string | undefined;
  /** All that the host has. */
  readonly hasAll: boolean;
  readonly hostIPC: boolean;
  /** A folder for the shared memory of the Pod; undefined: the container gets one of its own. */
  readonly sharedMemory: string | undefined;
}

/**
 * Gives a container a /dev of its own: the devices that are always there, shared memory, and the terminals of the host,
 * so that programs find the one they run in.
 */
export function addDevices(view: View, { folder, common, hasAll, hostIPC, sharedMemory }: DeviceOptions): void {
  if (common === undefined) {
    makePlaces(folder);
    view.bind({ source: folder, target: '/dev', isReadOnly: false });
  } else {
    makeCommon(common);
    view.overlay({ lower: common, target: '/dev', isReadOnly: false });
  }
  const there = readdirSync('/dev', { withFileTypes: true });
  const shown = there.filter(({ name }) => DEVICES.has(name) || name === 'pts' || hasAll);
  for (const entry of shown.filter(({ name }) => !OWN_FOLDERS.has(name) && !isLink(name))) {
    if (entry.isSymbolicLink()) continue;
    const place = path.join('/dev', entry.name);
    view.device(place);
  }
  if (hostIPC || sharedMemory !== undefined) {
    view.bind({ source: sharedMemory ?? '/dev/shm', target: '/dev/shm', isReadOnly: false });
  } else view.mount('/dev/shm', 'tmpfs', SHARED_MEMORY_OPTIONS);
  if (hostIPC && there.some(({ name }) => name === 'mqueue')) {
    view.bind({ source: '/dev/mqueue', target: '/dev/mqueue', isReadOnly: false });
  } else if (!hostIPC) view.mount('/dev/mqueue', 'mqueue', ['nosuid', 'nodev', 'noexec']);
}

/** What is in every container's /dev, with nothing mounted yet. */
function makePlaces(folder: string): void {
  mkdirSync(folder, { mode: 0o755 });
  for (const [name, target] of LINKS) symlinkSync(target, path.join(folder, name));
  for (const name of FOLDERS) mkdirSync(path.join(folder, name));
  for (const name of [...DEVICES, TERMINATION_LOG]) writeFileSync(path.join(folder, name), '');
}

/** Made once and for all; who finds it half done would have to wait, so that it gets its name when it is complete. */
function makeCommon(folder: string): void {
  if (existsSync(folder)) return;
  mkdirSync(path.dirname(folder), { recursive: true, mode: 0o700 });
  const made = `${folder}.${process.pid}`;
  rmSync(made, { recursive: true, force: true });
  makePlaces(made);
  try {
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

function isLink(name: string): boolean {
  return LINKS.some(([link]) => link === name);
}
