import { mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import type { ImageLayers } from '../../base/confinement.ts';
import type { NamespaceFacts } from '../../base/features.ts';
import type { FilesOfPod } from '../paths/container-tree.ts';
import type { HostMount } from '../paths/host-mounts.ts';
import { type FstabEntry, overlayPath } from './fstab.ts';

/**
 * The folders of a container's layer: `upper0` and `work0` for its first overlay, and so on, `l0` for the layers of its
 * first image. Few folders matter: on a disk, creating one takes as long as starting a program.
 */
const UPPER = 'upper';
const WORK = 'work';
const MEMORY = 'memory';
/** A link to the folder of an image, an empty folder, and a view of both that is a file system of its own. */
const FILES = 'files';
const EMPTY = 'empty';
const WHOLE = 'files-whole';

/** Mounts lie over these folders, or the caller sets the mode. */
const PRIVATE = { mode: 0o700 } as const;

/** The layers of an image, as an overlay names them. */
interface LinkedLayers {
  /** The link to the folder of all layers. */
  readonly name: string;
  /** The uppermost layer comes first. */
  readonly links: readonly string[];
}

/** Makes the folders that the overlays of a container need, in its layer, and the options of their mounts. */
export class OverlayFolders {
  readonly #options: MountPlanOptions;
  #overlays = 0;
  #images = 0;
  #hasFiles = false;

  constructor(options: MountPlanOptions) {
    this.#options = options;
    if (this.memory !== undefined) mkdirSync(this.memory, PRIVATE);
  }

  /** The folder for a tmpfs with what containers write. Undefined: that stays on disk. */
  get memory(): string | undefined {
    return this.#options.layers === 'tmpfs' ? this.#inLayer(MEMORY) : undefined;
  }

  /** The folder from which the mounts name files of images. Undefined: they name none. */
  get base(): string | undefined {
    return this.#images === 0 && !this.#hasFiles ? undefined : this.#options.layerDir;
  }

  /** Makes the folders of an overlay that can be written to. The caller sets the mode of the upper one. */
  writable(lower: readonly string[]): { upper: string; options: string[] } {
    const number = this.#overlays++;
    const [upper, work] = [`${UPPER}${number}`, `${WORK}${number}`];
    for (const name of [upper, work]) mkdirSync(this.#inLayer(name), PRIVATE);
    const mounted = (name: string): string => overlayPath(path.join(this.memory ?? this.#options.layerDir, name));
    const folders = [lowerOption(lower), `upperdir=${mounted(upper)}`, `workdir=${mounted(work)}`];
    return { upper: this.#inLayer(upper), options: [...folders, ...this.#attributes()] };
  }

  /** The mount of an overlay without a folder above, in a new folder of the layer. */
  readOnly(name: string, lower: readonly string[]): FstabEntry {
    const target = this.#inLayer(name);
    mkdirSync(target, PRIVATE);
    const options = [lowerOption(lower), 'ro', ...withoutDevices(this.#options), ...this.#attributes()];
    return { source: 'overlay', target, type: 'overlay', options };
  }

  /**
   * The mount of an overlay that can be written to, in a new folder of the layer, and its folder above.
   */
  writableAt(name: string, lower: readonly string[]): { entry: FstabEntry; upper: string } {
    const target = this.#inLayer(name);
    mkdirSync(target, PRIVATE);
    const { upper, options } = this.writable(lower);
    const all = [...options, ...withoutDevices(this.#options)];
    return { entry: { source: 'overlay', target, type: 'overlay', options: all }, upper };
  }

  /**
   * The layers of an image, as links in the layer of the container: mount(2) takes one page of options, which the paths
   * of many layers would exceed.
   */
  linksTo({ folder, layers }: ImageLayers): LinkedLayers {
    const name = `l${this.#images++}`;
    symlinkSync(path.join(folder, 'l'), this.#inLayer(name));
    return { name, links: Array.from({ length: layers }, (_, number) => `${name}/${number}`) };
  }

  /**
   * The mounts that make a folder with files of an image a file system of its own: the kernel refuses an overlay of a
   * folder and its ancestor (overlayfs.rst, "overlapping layers"). An overlay without a folder above needs two below,
   * so the second one is empty.
   * @param folder a path without links
   */
  filesOf(folder: string): FstabEntry[] {
    this.#hasFiles = true;
    symlinkSync(folder, this.#inLayer(FILES));
    const empty = this.#inLayer(EMPTY);
    mkdirSync(empty, PRIVATE);
    const nothing = { source: 'tmpfs', target: empty, type: 'tmpfs', options: MASK_OPTIONS };
    return [nothing, this.readOnly(WHOLE, [FILES, EMPTY])];
  }

  #inLayer(name: string): string {
    return path.join(this.#options.layerDir, name);
  }

  /** A user namespace has no right to `trusted` attributes: overlayfs keeps its own as `user` attributes instead. */
  #attributes(): string[] {
    return this.#options.mode === 'user' ? ['userxattr'] : [];
  }
}

/** The name of a part of the file system of {@link OverlayFolders.filesOf}, for another overlay. */
export function partOfFiles(place: string): string {
  return path.join(WHOLE, place);
}

function lowerOption(lower: readonly string[]): string {
  return `lowerdir=${lower.map(overlayPath).join(':')}`;
}

/** The options of an empty folder that covers something, and of a place that becomes read-only. */
export const MASK_OPTIONS: readonly string[] = ['ro', 'nosuid', 'nodev', 'noexec'];

/** The container whose mounts a plan lists. */
export interface MountPlanOptions {
  /** True: a volume of the container has a tie to the host's mounts, see Mount. */
  readonly hasTies: boolean;
  /** An existing empty folder. */
  readonly layerDir: string;
  readonly hostMounts: readonly HostMount[];
  readonly mode: 'root' | 'user';
  readonly layers: NamespaceFacts['layers'];
  readonly isReadOnly: boolean;
  /** True when device nodes work on all mounts. */
  readonly hasAllDevices: boolean;
  /** Folders of the host that are hidden at every path. */
  readonly hidden: readonly string[];
  /** Undefined: the container's Pod sees the files of the host. */
  readonly ofPod: FilesOfPod | undefined;
}

/** The option without which device nodes that a container makes would work: there is no device cgroup. */
export function withoutDevices({ mode, hasAllDevices }: MountPlanOptions): string[] {
  return mode === 'root' && !hasAllDevices ? ['nodev'] : [];
}
