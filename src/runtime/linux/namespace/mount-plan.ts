import { chmodSync, mkdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { makeFolderExactly } from '../../../exact-mode.ts';
import type { ImageLayers, MountPropagation } from '../../base/confinement.ts';
import { layerFolders } from '../image/programs.ts';
import { entryIn, followPath, HostFiles, type TreeMount } from '../paths/container-tree.ts';
import { HostPlaces, type InnerMounts } from './host-places.ts';
import { commonFolders, haveSameOwner, partOver } from './image-folder.ts';
import { MountList } from './mount-list.ts';
import { MASK_OPTIONS, type MountPlanOptions, OverlayFolders, partOfFiles, withoutDevices } from './overlay-folders.ts';
import { isStandardDevice } from './standard-device.ts';
import { copyOwner, type ForeignFolder, MountPoints } from './mount-points.ts';

/** A file or folder of the host at a path in the container. */
export interface Bind {
  readonly source: string;
  readonly target: string;
  readonly isReadOnly: boolean;
  /** Default: unchanged. */
  readonly inner?: InnerMounts;
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
  /** The mounts, in their order. */
  readonly mounts: MountList;
  readonly #tree: TreeMount[] = [];
  /** The files of the host, each looked at once: a plan is made in one step. */
  readonly #host: HostFiles;
  readonly #places: HostPlaces;
  readonly #points: MountPoints;
  readonly #overlays: OverlayFolders;
  /** The copy of the container's image with its volumes. Undefined: it has none. */
  #copy: { readonly target: string; readonly upper: string } | undefined;
  /** The folder of an image, without links. Undefined: none lies over the files of the host. */
  #files: string | undefined;

  constructor(options: MountPlanOptions) {
    this.#options = options;
    this.mounts = new MountList(options);
    this.#host = new HostFiles(options.ofPod);
    this.#places = new HostPlaces(options);
    this.#points = new MountPoints(options.layerDir, this.#host);
    mkdirSync(this.mounts.root, { mode: 0o700 });
    this.#overlays = new OverlayFolders(options);
  }

  /** See {@link OverlayFolders.memory}. */
  get memory(): string | undefined {
    return this.#overlays.memory;
  }

  /** See {@link OverlayFolders.base}. */
  get base(): string | undefined {
    return this.#overlays.base;
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
    this.mounts.addOutside(...this.#overlays.filesOf(this.#files));
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
      for (const hiddenPath of this.#places.hiddenOnMountOf(folder)) {
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
    this.mounts.addOutside(whole);
    const seen = layerFolders(image);
    const inside = entryIn({ target: '/', seen }, folder);
    if (inside === undefined) throw new Error(`mount ${wanted}: ${folder} is not in the image`);
    const target = this.#mountPoint(wanted, inside.stats.isDirectory());
    const source = path.join(whole.target, folder);
    this.mounts.add({ source, target, type: 'none', options: ['bind', 'ro', ...withoutDevices(this.#options)] });
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
    this.mounts.add({ source, target, type: 'none', options: ['bind', ...withoutDevices(this.#options)] });
    const made = path.join(upper, folder);
    this.#tree.push({ target, seen: [made, ...seen.map((layer) => path.join(layer, folder))], made });
  }

  #copyOf(image: ImageLayers): { readonly target: string; readonly upper: string } {
    const { name, links } = this.#overlays.linksTo(image);
    const { entry, upper } = this.#overlays.writableAt(`${name}-volumes`, links);
    this.mounts.addOutside(entry);
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
    this.mounts.add({ source: 'overlay', target, type: 'overlay', options: [...options, ...mode], isOptional });
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
    const below = isFolder ? this.#places.mountsBelow(realSource, inner) : [];
    // A device that every container has may be at any other path, too.
    const hidden = isFolder || !isStandardDevice(this.#host.stats(realSource)) ? undefined : 'nodev';
    if (mode === 'root') {
      this.mounts.add({
        source,
        target,
        type: 'none',
        options: ['bind', ...this.#places.optionsOf(realSource, isReadOnly).filter((option) => option !== hidden)],
        isOptional,
      });
      for (const { path: inside } of below) {
        const options = ['bind', ...this.#places.optionsOf(inside, isInnerReadOnly)];
        this.mounts.add({ source: inside, target: at(inside), type: 'none', options, isOptional: true });
      }
    } else {
      const isTied = bind.propagation !== undefined;
      // The kernel does not let a user namespace leave out inner mounts.
      const options = ['rbind', ...(isReadOnly ? this.#places.optionsOf(realSource, true) : [])];
      this.mounts.add({ source, target, type: 'none', options, isOptional }, isTied);
      for (const { path: inside } of inner === 'read-only' ? below : []) {
        const remount = ['remount', 'bind', ...this.#places.optionsOf(inside, true)];
        this.mounts.add({ source: 'none', target: at(inside), type: 'none', options: remount, isOptional: true });
      }
    }
    this.#tree.push({ target, seen: [source], made: isFolder ? source : undefined });
    for (const inside of this.#places.hiddenIn(realSource)) {
      if (inner === 'unchanged' || inner === 'read-only')
        this.#hide(at(inside), !this.#places.isOnMountOf(inside, realSource));
      else if (this.#places.isOnMountOf(inside, realSource)) this.#hide(at(inside), isOptional);
    }
  }

  /** Shows a folder of the host with all mounts in it, the later ones, too. */
  #tie({ source, target: wanted, isReadOnly }: Bind, propagation: MountPropagation): void {
    const place = this.mounts.stage(source);
    const target = this.#mountPoint(wanted, true);
    const realSource = this.#host.realPath(source);
    const hidden = this.#places.hiddenIn(realSource);
    if (propagation === 'both ways' && hidden.length > 0)
      throw new Error(`mount ${wanted}: ${hidden[0]} is in it, which no container may see`);
    const restrictions = isReadOnly ? this.#places.optionsOf(realSource, true) : [];
    const options = ['rbind', ...restrictions, ...(propagation === 'from host' ? ['rslave'] : [])];
    this.mounts.add({ source: place, target, type: 'none', options }, true);
    this.#tree.push({ target, seen: [source], made: source });
    for (const inside of hidden) this.#hide(path.join(target, path.relative(realSource, inside)), true);
  }

  /** Shows a device of the host, or a folder of devices. */
  device(at: string): void {
    this.mounts.add({
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
    const source = path.join(this.mounts.root, '/dev/pts/ptmx');
    this.mounts.add({ source, target: this.#mountPoint('/dev/ptmx', false), type: 'none', options: ['bind'] });
  }

  /** Makes a visible path look empty. A missing path stays missing. */
  mask(wanted: string): void {
    const { path: target, stats } = followPath(wanted, this.#tree, this.#host);
    if (stats === undefined) return;
    if (stats.isDirectory()) this.#hide(target, false);
    else
      this.mounts.add({
        source: '/dev/null',
        target,
        type: 'none',
        options: ['bind', 'ro', 'nosuid', 'noexec'],
      });
  }

  /** Makes a visible path of a kernel file system read-only. */
  freeze(wanted: string): void {
    const { path: target, stats } = followPath(wanted, this.#tree, this.#host);
    if (stats === undefined) return;
    const source = path.join(this.mounts.root, target);
    this.mounts.add({ source, target, type: 'none', options: ['bind', ...MASK_OPTIONS] });
  }

  /** Mounts a kernel file system. */
  mount(target: string, type: string, options: readonly string[]): void {
    this.mounts.add({ source: type, target: this.#mountPoint(target, true), type, options });
    // Its files are assumed to be the files of the host's mount at this path.
    this.#tree.push({ target, seen: type === 'proc' ? [target] : [], made: undefined });
  }

  /** Covers a path with an empty folder. */
  #hide(target: string, isOptional: boolean): void {
    const options = [...MASK_OPTIONS, 'mode=0555'];
    this.mounts.add({ source: 'tmpfs', target, type: 'tmpfs', options, isOptional });
    this.#tree.push({ target, seen: [], made: undefined });
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
