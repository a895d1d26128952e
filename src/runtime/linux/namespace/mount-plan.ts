import { chmodSync, existsSync, mkdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { makeFolderExactly } from '../../../exact-mode.ts';
import type { ImageLayers, MountPropagation } from '../../base/confinement.ts';
import { layerFolders } from '../image/programs.ts';
import { entryIn, followPath, HostFiles, type TreeMount } from '../paths/container-tree.ts';
import type { FstabEntry } from './fstab.ts';
import { type HostMount, isInFolder, mountOf } from '../paths/host-mounts.ts';
import type { TiedMounts } from './holder.ts';
import { commonFolders, haveSameOwner, partOver } from './image-folder.ts';
import { MASK_OPTIONS, type MountPlanOptions, OverlayFolders, partOfFiles, withoutDevices } from './overlay-folders.ts';
import { isStandardDevice } from './standard-device.ts';
import { copyOwner, type ForeignFolder, MountPoints } from './mount-points.ts';

/** The folder of a container's layer that becomes its root. */
const ROOT = 'root';

/** The restrictions of a host's mount that its copy keeps. A user namespace could not remove them. */
const KEPT_OPTIONS = ['ro', 'nosuid', 'nodev', 'noexec'];

export const PROC_OPTIONS: readonly string[] = ['nosuid', 'nodev', 'noexec'];

/** A folder of /proc, which is a mount of its own on every machine: see {@link MountPlan.tied}. */
const STAGE = '/proc/tty';

/** A file or folder of the host at a path in the container. */
export interface Bind {
  readonly source: string;
  readonly target: string;
  readonly isReadOnly: boolean;
  /** The mounts inside the source: unchanged (the default), read-only, or only the mounts of the list. */
  readonly inner?: 'unchanged' | 'read-only' | readonly string[];
  /** See {@link Mount}. */
  readonly propagation?: MountPropagation | undefined;
  /** See {@link FstabEntry}. */
  readonly isOptional?: boolean;
}

interface OverlayRequest {
  readonly lower: string;
  readonly target: string;
  readonly isReadOnly: boolean;
  readonly isOptional?: boolean;
  /** The part of the image's folder that lies over `lower`, see {@link MountPlan.cover}. */
  readonly over?: string | undefined;
}

/**
 * Builds the view of a container: its mounts, in order. Missing mount points are created in the container's layer, or
 * in the volume that contains them.
 */
export class MountPlan {
  readonly #options: MountPlanOptions;
  readonly #entries: FstabEntry[] = [];
  readonly #tree: TreeMount[] = [];
  /** The files of the host, each looked at once: a plan is made in one step. */
  readonly #host: HostFiles;
  readonly #staged: FstabEntry[] = [];
  readonly #points: MountPoints;
  readonly #overlays: OverlayFolders;
  /** The copy of the container's image with its volumes. Undefined: it has none. */
  #copy: { readonly target: string; readonly upper: string } | undefined;
  /** The folder of an image, without links. Undefined: none lies over the files of the host. */
  #files: string | undefined;

  constructor(options: MountPlanOptions) {
    this.#options = options;
    this.#host = new HostFiles(options.ofPod);
    this.#points = new MountPoints(options.layerDir, this.#host);
    mkdirSync(this.root, { mode: 0o700 });
    this.#overlays = new OverlayFolders(options);
  }

  /** The folder of the host that becomes the container's root. */
  get root(): string {
    return path.join(this.#options.layerDir, ROOT);
  }

  /** See {@link OverlayFolders.memory}. */
  get memory(): string | undefined {
    return this.#overlays.memory;
  }

  /** See {@link OverlayFolders.base}. */
  get base(): string | undefined {
    return this.#overlays.base;
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

  /** Folders of the layer that need an owner whom only the container's user namespace has. */
  get foreign(): readonly ForeignFolder[] {
    return this.#points.foreign;
  }

  /** Folders that were created outside of the layer as mount points, the innermost last. */
  get madeOnHost(): readonly string[] {
    return this.#points.madeOnHost;
  }

  /** Makes the files of a folder lie over the host's files in all later copies. */
  cover(folder: string): void {
    this.#files = realpathSync(folder);
    this.#entries.push(...this.#overlays.filesOf(this.#files));
  }

  /** True when the folder of {@link cover} has files for a place of the host. */
  covers(at: string): boolean {
    return this.#files !== undefined && partOver(this.#files, at) !== undefined;
  }

  /**
   * Shows a folder of the host copy-on-write; read-only where there are no layers or the root is read-only.
   * @param at an existing path, the same in the container
   * @param source the folder, where it has another path on the host
   */
  copy(at: string, { source = at, isOptional = false }: { source?: string; isOptional?: boolean } = {}): void {
    const { layers, isReadOnly } = this.#options;
    if (layers === undefined) return this.bind({ source, target: at, isReadOnly: true, inner: [], isOptional });
    const over = this.#files && partOver(this.#files, at);
    this.overlay({ lower: source, target: at, isReadOnly, isOptional, over });
  }

  /** Shows a folder of the host copy-on-write at any path. Only where there are layers. */
  overlay({ lower, target: wanted, isReadOnly, isOptional = false, over }: OverlayRequest): void {
    const target = this.#mountPoint(wanted, true);
    const covering = over === undefined ? [] : [over];
    const names = covering.map((folder) => partOfFiles(path.relative(this.#files ?? folder, folder)));
    const upper = this.#stack([...names, lower], { target, isReadOnly, isOptional });
    copyOwner(lower, upper);
    for (const folder of covering) this.#keepOwners(folder, lower, { target, seen: [upper, lower], made: upper });
    this.#tree.push({ target, seen: [upper, ...covering, lower], made: upper });
    for (const folder of [...covering, lower]) {
      for (const hiddenPath of this.#hiddenIn(folder).filter((hidden) => this.#isOnMountOf(hidden, folder))) {
        this.#hide(path.join(target, path.relative(folder, hiddenPath)), isOptional);
      }
    }
  }

  /**
   * Gives folders that the host has, too, the owners and modes of the host: an overlay shows owner and mode of the
   * uppermost folder, and a folder of the user may be closed to other users.
   */
  #keepOwners(over: string, lower: string, ofHost: TreeMount): void {
    for (const folder of commonFolders(over, lower).folders) {
      const place = path.relative(lower, folder);
      if (!haveSameOwner(path.join(over, place), folder))
        this.#points.make(path.join(ofHost.target, place), ofHost, true);
    }
  }

  /** Shows the layers of an image as the root, copy-on-write. */
  image(image: ImageLayers): void {
    const { links } = this.#overlays.linksTo(image);
    const lower = layerFolders(image);
    const upper = this.#stack(links, { target: '/', isReadOnly: this.#options.isReadOnly, isOptional: false });
    chmodSync(upper, 0o755);
    this.#tree.push({ target: '/', seen: [upper, ...lower], made: upper });
  }

  /** Shows a file or folder of an image, read-only. Without a folder above, an overlay needs two below. */
  imageVolume({ path: folder, ...image }: ImageLayers & { readonly path: string }, wanted: string): void {
    const { name, links } = this.#overlays.linksTo(image);
    const whole = this.#overlays.readOnly(`${name}-whole`, [...links, `${name}-whole`]);
    this.#entries.push(whole);
    const seen = layerFolders(image);
    const inside = entryIn({ target: '/', seen }, folder);
    if (inside === undefined) throw new Error(`mount ${wanted}: ${folder} is not in the image`);
    const target = this.#mountPoint(wanted, inside.stats.isDirectory());
    const source = path.join(whole.target, folder);
    this.#add({ source, target, type: 'none', options: ['bind', 'ro', ...withoutDevices(this.#options)] });
    const folders = seen.map((layer) => path.join(layer, folder));
    this.#tree.push({ target, seen: inside.stats.isDirectory() ? folders : [inside.file], made: undefined });
  }

  /**
   * Shows a folder of the container's own image as a volume with the content of the image, which can be written to
   * whatever the root is. All such folders are parts of one copy. Source: containerd, internal/cri/server volumeMounts.
   */
  imageCopy({ path: folder, ...image }: ImageLayers & { readonly path: string }, wanted: string): void {
    const seen = layerFolders(image);
    const inside = entryIn({ target: '/', seen }, folder);
    // An image may name a file, which is no volume.
    if (inside?.stats.isDirectory() === false) return;
    this.#copy ??= this.#copyOf(image);
    const { target: whole, upper } = this.#copy;
    this.#points.make(folder, { target: '/', seen: [upper, ...seen], made: upper }, true);
    const target = this.#mountPoint(wanted, true);
    const source = path.join(whole, folder);
    this.#add({ source, target, type: 'none', options: ['bind', ...withoutDevices(this.#options)] });
    const made = path.join(upper, folder);
    this.#tree.push({ target, seen: [made, ...seen.map((layer) => path.join(layer, folder))], made });
  }

  #copyOf(image: ImageLayers): { readonly target: string; readonly upper: string } {
    const { name, links } = this.#overlays.linksTo(image);
    const { entry, upper } = this.#overlays.writableAt(`${name}-volumes`, links);
    this.#entries.push(entry);
    chmodSync(upper, 0o755);
    return { target: entry.target, upper };
  }

  /** Makes sure that mounts at the path do not follow a link of the image: a folder of the layer lies over it. */
  ownFolder(target: string): void {
    const root = this.#tree[0];
    if (root?.made === undefined || entryIn(root, target, this.#host)?.stats.isDirectory() === true) return;
    makeFolderExactly(path.join(root.made, target), 0o755);
    this.#host.madeIn(root.made);
  }

  /** Mounts an overlay. Returns its upper folder, of which the caller sets the mode. */
  #stack(lower: readonly string[], { target, isReadOnly, isOptional }: Omit<OverlayRequest, 'lower'>): string {
    const { upper, options } = this.#overlays.writable(lower);
    this.#host.addEmpty(upper);
    const mode = [...(isReadOnly ? ['ro'] : []), ...withoutDevices(this.#options)];
    this.#add({ source: 'overlay', target, type: 'overlay', options: [...options, ...mode], isOptional });
    return upper;
  }

  /** Shows a file or folder of the host directly, with the mounts inside it. */
  bind(bind: Bind): void {
    const { source, target: wanted, isReadOnly, inner = 'unchanged', isOptional = false } = bind;
    this.#host.forgetMissing();
    if (bind.propagation !== undefined && this.#options.mode === 'root') return this.#tie(bind, bind.propagation);
    const realSource = this.#host.realPath(source);
    const isFolder = this.#host.stats(realSource)?.isDirectory() === true;
    const target = this.#mountPoint(wanted, isFolder);
    const { mode } = this.#options;
    const at = (inside: string): string => path.join(target, path.relative(realSource, inside));
    const isInnerReadOnly = inner === 'read-only' || (isReadOnly && inner !== 'unchanged');
    const below = isFolder ? this.#mountsBelow(realSource, inner) : [];
    // A device that every container has may be at any other path, too.
    const hidden = isFolder || !isStandardDevice(this.#host.stats(realSource)) ? undefined : 'nodev';
    if (mode === 'root') {
      this.#add({
        source,
        target,
        type: 'none',
        options: ['bind', ...this.#optionsOf(realSource, isReadOnly).filter((option) => option !== hidden)],
        isOptional,
      });
      for (const { path: inside } of below) {
        const options = ['bind', ...this.#optionsOf(inside, isInnerReadOnly)];
        this.#add({ source: inside, target: at(inside), type: 'none', options, isOptional: true });
      }
    } else {
      const isTied = bind.propagation !== undefined;
      // The kernel does not let a user namespace leave out inner mounts.
      const options = ['rbind', ...(isReadOnly ? this.#optionsOf(realSource, true) : [])];
      this.#add({ source, target, type: 'none', options, isOptional }, isTied);
      for (const { path: inside } of inner === 'read-only' ? below : []) {
        const remount = ['remount', 'bind', ...this.#optionsOf(inside, true)];
        this.#add({ source: 'none', target: at(inside), type: 'none', options: remount, isOptional: true });
      }
    }
    this.#tree.push({ target, seen: [source], made: isFolder ? source : undefined });
    for (const inside of this.#hiddenIn(realSource)) {
      if (inner === 'unchanged' || inner === 'read-only')
        this.#hide(at(inside), !this.#isOnMountOf(inside, realSource));
      else if (this.#isOnMountOf(inside, realSource)) this.#hide(at(inside), isOptional);
    }
  }

  /** Shows a folder of the host with all mounts in it, the later ones, too. */
  #tie({ source, target: wanted, isReadOnly }: Bind, propagation: MountPropagation): void {
    const place = path.join(STAGE, String(this.#staged.length));
    if (this.#staged.length === 0)
      this.#staged.push({ source: 'tmpfs', target: STAGE, type: 'tmpfs', options: ['mode=0700'] });
    this.#staged.push({ source, target: place, type: 'none', options: ['rbind', 'X-mount.mkdir'] });
    const target = this.#mountPoint(wanted, true);
    const realSource = this.#host.realPath(source);
    const hidden = this.#hiddenIn(realSource);
    if (propagation === 'both ways' && hidden.length > 0)
      throw new Error(`mount ${wanted}: ${hidden[0]} is in it, which no container may see`);
    const restrictions = isReadOnly ? this.#optionsOf(realSource, true) : [];
    const options = ['rbind', ...restrictions, ...(propagation === 'from host' ? ['rslave'] : [])];
    this.#add({ source: place, target, type: 'none', options }, true);
    this.#tree.push({ target, seen: [source], made: source });
    for (const inside of hidden) this.#hide(path.join(target, path.relative(realSource, inside)), true);
  }

  /** Shows a device of the host, or a folder of devices. */
  device(at: string): void {
    this.#add({
      source: at,
      target: this.#mountPoint(at, this.#host.stats(at)?.isDirectory() === true),
      type: 'none',
      options: ['rbind'],
    });
    this.#tree.push({ target: at, seen: [at], made: undefined });
  }

  /** Gives the container terminals of its own at /dev/pts, with their /dev/ptmx. */
  terminals(group: number | undefined): void {
    const owner = group === undefined ? [] : [`gid=${group}`];
    this.mount('/dev/pts', 'devpts', ['nosuid', 'noexec', 'newinstance', 'ptmxmode=0666', 'mode=0620', ...owner]);
    const source = path.join(this.root, '/dev/pts/ptmx');
    this.#add({ source, target: this.#mountPoint('/dev/ptmx', false), type: 'none', options: ['bind'] });
  }

  /** Makes a visible path look empty. A missing path stays missing. */
  mask(wanted: string): void {
    const { path: target, stats } = followPath(wanted, this.#tree, this.#host);
    if (stats === undefined) return;
    if (stats.isDirectory()) this.#hide(target, false);
    else this.#add({ source: '/dev/null', target: target, type: 'none', options: ['bind', 'ro', 'nosuid', 'noexec'] });
  }

  /** Makes a visible path of a kernel file system read-only. */
  freeze(wanted: string): void {
    const { path: target, stats } = followPath(wanted, this.#tree, this.#host);
    if (stats === undefined) return;
    const source = path.join(this.root, target);
    this.#add({ source, target: target, type: 'none', options: ['bind', ...MASK_OPTIONS] });
  }

  /** Mounts a kernel file system. */
  mount(target: string, type: string, options: readonly string[]): void {
    this.#add({ source: type, target: this.#mountPoint(target, true), type, options });
    // Its files are assumed to be the files of the host's mount at this path.
    this.#tree.push({ target, seen: type === 'proc' ? [target] : [], made: undefined });
  }

  /** Covers a path with an empty folder. */
  #hide(target: string, isOptional: boolean): void {
    const options = [...MASK_OPTIONS, 'mode=0555'];
    this.#add({ source: 'tmpfs', target, type: 'tmpfs', options, isOptional });
    this.#tree.push({ target, seen: [], made: undefined });
  }

  /** The hidden folders in a folder of the host. A folder inside one of them belongs to a container. */
  #hiddenIn(folder: string): string[] {
    return this.#options.hidden.filter((hiddenPath) => isInFolder(hiddenPath, folder) && existsSync(hiddenPath));
  }

  /** True when no other file system is mounted between the folder and the place in it. */
  #isOnMountOf(file: string, folder: string): boolean {
    const mount = mountOf(file, this.#options.hostMounts);
    return mount === undefined || isInFolder(folder, mount.path);
  }

  /** The mounts in a folder of the host, outer ones first. */
  #mountsBelow(folder: string, inner: Bind['inner']): HostMount[] {
    const below = this.#options.hostMounts.filter(({ path: at }) => at !== folder && isInFolder(at, folder));
    const named = Array.isArray(inner)
      ? below.filter(({ path: at }) => inner.some((listed) => isInFolder(at, listed)))
      : below;
    return named.toSorted((a, b) => a.path.length - b.path.length);
  }

  /** The options for another mount of a place on the host, which may not permit more. */
  #optionsOf(file: string, isReadOnly: boolean): string[] {
    const options = mountOf(file, this.#options.hostMounts)?.options ?? [];
    const kept = KEPT_OPTIONS.filter((option) => options.includes(option));
    return [...new Set([...(isReadOnly ? ['ro'] : []), ...withoutDevices(this.#options), ...kept])];
  }

  #add(entry: FstabEntry, isTied = false): void {
    // Beside a mount with a tie to the host, copies of the host's mounts have it, too.
    const isCopy = this.#options.hasTies && entry.options.some((option) => option === 'bind' || option === 'rbind');
    const options =
      isCopy && !isTied && !entry.options.includes('remount') ? [...entry.options, 'rprivate'] : entry.options;
    // `mount --all` skips a path that is mounted already. The `/.` makes a second mount at the same path look new.
    this.#entries.push({ ...entry, options, target: `${this.root}/.${entry.target}` });
  }

  /** The target of a path. Created when missing. */
  #mountPoint(wanted: string, isFolder: boolean): string {
    if (this.#tree.length === 0) return wanted;
    this.#host.forgetMissing();
    const { path: target, stats, mount } = followPath(wanted, this.#tree, this.#host);
    if (stats !== undefined || target === mount.target) return target;
    this.#points.make(target, mount, isFolder);
    return target;
  }
}
