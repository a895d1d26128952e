import { realpathSync } from 'node:fs';
import path from 'node:path';
import { mountOf } from '../paths/host-mounts.ts';
import type { FstabEntry } from './fstab.ts';
import type { TiedMounts } from './holder.ts';
import type { MountPlanOptions } from './overlay-folders.ts';

/** The folder of a container's layer that becomes its root. */
const ROOT = 'root';

export const PROC_OPTIONS: readonly string[] = ['nosuid', 'nodev', 'noexec'];

/** A folder of /proc, which is a mount of its own on every machine: see {@link MountList.tied}. */
const STAGE = '/proc/tty';

/** The mounts of a container in the order in which mount(8) makes them. {@link MountPlan} decides which they are. */
export class MountList {
  readonly #options: MountPlanOptions;
  readonly #entries: FstabEntry[] = [];
  readonly #staged: FstabEntry[] = [];

  constructor(options: MountPlanOptions) {
    this.#options = options;
  }

  /** The folder of the host that becomes the container's root. */
  get root(): string {
    return path.join(this.#options.layerDir, ROOT);
  }

  get entries(): readonly FstabEntry[] {
    return this.#entries;
  }

  /**
   * The mounts that keep their tie to the host. Undefined: none. Only for root: in the user namespace of an ordinary
   * user, all mounts of the host follow it, and none is seen by it.
   */
  get tied(): TiedMounts | undefined {
    const { layerDir, hostMounts } = this.#options;
    if (this.#staged.length === 0) return undefined;
    const apart = mountOf(realpathSync(layerDir), hostMounts)?.path ?? '/';
    return { staged: this.#staged, apart, fstab: path.join(layerDir, 'fstab-tied') };
  }

  /** The mounts of a /proc that the main process mounts by itself. All paths are the container's. */
  get procMounts(): readonly FstabEntry[] {
    const proc: FstabEntry = { source: 'proc', target: '/proc', type: 'proc', options: PROC_OPTIONS };
    const prefix = `${this.root}/.`;
    const inside = this.#entries.filter(({ target }) => target.startsWith(`${prefix}/proc/`));
    const own = (file: string): string => (file.startsWith(this.root) ? file.slice(this.root.length) : file);
    return [
      proc,
      ...inside.map((entry) => ({ ...entry, source: own(entry.source), target: own(entry.target).slice(2) })),
    ];
  }

  /**
   * Adds a mount at a path in the container.
   * @param isTied true: it keeps a tie to the host's mounts
   */
  add(entry: FstabEntry, isTied = false): void {
    // Beside a mount with a tie to the host, copies of the host's mounts have it, too.
    const isCopy = this.#options.hasTies && entry.options.some((option) => option === 'bind' || option === 'rbind');
    const options =
      isCopy && !isTied && !entry.options.includes('remount') ? [...entry.options, 'rprivate'] : entry.options;
    // `mount --all` skips a path that is mounted already. The `/.` makes a second mount at the same path look new.
    this.#entries.push({ ...entry, options, target: `${this.root}/.${entry.target}` });
  }

  /** Adds mounts outside of the container's root, at paths of the host: later ones show parts of them. */
  addOutside(...entries: readonly FstabEntry[]): void {
    this.#entries.push(...entries);
  }

  /** Adds a mount of a folder with all mounts in it, which keeps its tie to the host. Returns its place until then. */
  stage(source: string): string {
    const place = path.join(STAGE, String(this.#staged.length));
    if (this.#staged.length === 0)
      this.#staged.push({ source: 'tmpfs', target: STAGE, type: 'tmpfs', options: ['mode=0700'] });
    this.#staged.push({ source, target: place, type: 'none', options: ['rbind', 'X-mount.mkdir'] });
    return place;
  }
}
