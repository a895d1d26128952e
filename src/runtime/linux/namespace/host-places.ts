import { existsSync } from 'node:fs';
import { type HostMount, isInFolder, mountOf } from '../paths/host-mounts.ts';
import { type MountPlanOptions, withoutDevices } from './overlay-folders.ts';

/** The restrictions of a host's mount that its copy keeps. A user namespace could not remove them. */
const KEPT_OPTIONS = ['ro', 'nosuid', 'nodev', 'noexec'];

/** The mounts inside a place of the host that a container sees: unchanged, read-only, or only the listed ones. */
export type InnerMounts = 'unchanged' | 'read-only' | readonly string[];

/**
 * The limits of what a container may see of a file or folder of the host: what is hidden in it, what is mounted in it,
 * and the restrictions of the mount that it is on.
 */
export class HostPlaces {
  readonly #options: MountPlanOptions;

  constructor(options: MountPlanOptions) {
    this.#options = options;
  }

  /** The hidden folders in a folder of the host. A folder inside one of them belongs to a container. */
  hiddenIn(folder: string): string[] {
    return this.#options.hidden.filter((hiddenPath) => isInFolder(hiddenPath, folder) && existsSync(hiddenPath));
  }

  /** The hidden folders that an overlay of a folder shows: it shows none of the mounts in the folder. */
  hiddenOnMountOf(folder: string): string[] {
    return this.hiddenIn(folder).filter((hidden) => this.isOnMountOf(hidden, folder));
  }

  /** True when no other file system is mounted between the folder and the place in it. */
  isOnMountOf(file: string, folder: string): boolean {
    const mount = mountOf(file, this.#options.hostMounts);
    return mount === undefined || isInFolder(folder, mount.path);
  }

  /** The mounts in a folder of the host that a container sees, outer ones first. */
  mountsBelow(folder: string, inner: InnerMounts): HostMount[] {
    const below = this.#options.hostMounts.filter(({ path: at }) => at !== folder && isInFolder(at, folder));
    const named =
      typeof inner === 'string'
        ? below
        : below.filter(({ path: at }) => inner.some((listed) => isInFolder(at, listed)));
    return named.toSorted((a, b) => a.path.length - b.path.length);
  }

  /** The options for another mount of a place on the host, which may not permit more. */
  optionsOf(file: string, isReadOnly: boolean): string[] {
    const options = mountOf(file, this.#options.hostMounts)?.options ?? [];
    const kept = KEPT_OPTIONS.filter((option) => options.includes(option));
    return [...new Set([...(isReadOnly ? ['ro'] : []), ...withoutDevices(this.#options), ...kept])];
  }
}
