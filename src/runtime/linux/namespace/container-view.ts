import { accessSync, constants, mkdirSync, readdirSync, readlinkSync, realpathSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { makeFileExactly, makeFolderExactly } from '../../../exact-mode.ts';
import { homeFolder } from '../../../user.ts';
import { quietly, statQuietly, succeeds } from '../../../quietly.ts';
import type { Confinement } from '../../base/confinement.ts';
import type { NamespaceFacts } from '../../base/features.ts';
import { PROGRAMS_FOLDER } from '../image/programs.ts';
import { addDevices, engineSockets, MASKED_FILES, READ_ONLY_FILES } from './devices.ts';
import { hiddenPaths, type HostMount, isInFolder, mountOf } from '../paths/host-mounts.ts';
import { isTied, type ProcessView } from './namespace-plan.ts';
import { PROC_OPTIONS } from './mount-list.ts';
import { MountPlan } from './mount-plan.ts';

/** The folders that each container has for itself. */
const OWN_FOLDERS = ['/proc', '/sys', '/dev'];

/** The modes of mount points and of their parent folders. */
const FOLDER_MODE = 0o755;
const FILE_MODE = 0o644;

/** The group `tty` of distributions. Source: containerd, pkg/oci/mounts.go. */
const TERMINAL_GROUP = 5;

/** Mounts in /sys that containers see, as in other container runtimes. */
const CGROUPS = '/sys/fs/cgroup';

/**
 * File systems that can be the lower layer of an overlay. Of any other file system (network, FUSE), containers get a
 * read-only view.
 */
const LOCAL_TYPES: ReadonlySet<string> = new Set([
  'btrfs',
  'erofs',
  'ext2',
  'ext3',
  'ext4',
  'f2fs',
  'overlay',
  'squashfs',
  'tmpfs',
  'xfs',
  'zfs',
]);

export interface ContainerViewRequest {
  readonly confinement: Confinement;
  readonly facts: NamespaceFacts;
  readonly hostMounts: readonly HostMount[];
  readonly processes: ProcessView;
  /**
   * The group that the container sees in place of each mounted hierarchy of cgroups, by mount point. Undefined: it sees
   * the host's hierarchies.
   */
  readonly cgroups?: ReadonlyMap<string, string> | undefined;
  /** The folder for the common part of every /dev. Undefined: each container makes its own. */
  readonly commonDevices: string | undefined;
  /** The folder of the Pod's shared memory. Undefined: the container gets its own. */
  readonly sharedMemory: string | undefined;
  /** A folder with files of the container's image, which lie over the host's files. Undefined: there are none. */
  readonly imageFolder?: string | undefined;
  /** The folder with the programs for files of an image. Undefined: the container sees the host's programs. */
  readonly programs: string | undefined;
  /** The root of the Pod's mounts, as podrun sees it. Undefined: the Pod has none of its own. */
  readonly podRoot?: string | undefined;
}

/**
 * Builds a container's view of the machine: a copy-on-write view of the host or of an image, and over it the folders
 * shared with the host and the volumes. A folder with files of an image is a layer between the host and the copy.
 * @throws {Error} for a mount point that cannot be created
 */
export function containerView(request: ContainerViewRequest): MountPlan {
  const { confinement, facts, hostMounts, processes, commonDevices, sharedMemory, imageFolder, programs, podRoot } =
    request;
  const { layerDir, isRootReadOnly, pod, hasAllDevices, image } = confinement;
  const { mode, layers } = facts;
  const overRoot = confinement.mounts.find(({ target }) => target === '/');
  if (overRoot !== undefined) throw new Error(`error mounting ${overRoot.source} to rootfs at /: it would be the root`);
  mkdirSync(layerDir, { recursive: true, mode: 0o700 });
  const hidden = hiddenPaths(confinement.hidden, hostMounts);
  const hasTies = isTied(confinement);
  const view = new MountPlan({
    hasTies,
    layerDir,
    hostMounts,
    mode,
    layers,
    isReadOnly: isRootReadOnly,
    hasAllDevices,
    hidden,
    ofPod:
      podRoot === undefined ? undefined : { root: podRoot, folders: (pod.memory ?? []).map(({ folder }) => folder) },
  });
  // Sharing the whole host would leave no view.
  const shared = image ? [] : outermost(confinement.shared.filter((folder) => folder !== '/' && isThere(folder)));
  const targets = confinement.mounts.map(({ target }) => target);
  const inner = isRootReadOnly ? 'read-only' : 'unchanged';
  if (imageFolder !== undefined) view.cover(imageFolder);
  if (image !== undefined) view.image(image);
  else if (mode === 'root') {
    const outside = hostMounts.filter(
      ({ path: at }) => !hidden.some((folder) => at !== folder && isInFolder(at, folder)),
    );
    showRoot(view, { hostMounts: outside, shared, targets });
  } else {
    const missing = targets.map(placeOnHost).filter((target) => !isThere(target));
    showTopFolders(view, { hostMounts, shared, skeleton: path.join(layerDir, 'top'), isRootReadOnly, missing });
  }
  if (programs !== undefined) showPrograms(view, programs);
  const isMountedLater = processes === 'first' || confinement.oci !== undefined;
  if (facts.hasOwnProc && processes !== 'host' && !isMountedLater) view.mount('/proc', 'proc', PROC_OPTIONS);
  // A main process that is process 1, or its OCI runtime, mounts its own /proc over this one.
  else view.bind({ source: '/proc', target: '/proc', isReadOnly: false });
  showKernelFiles(view, request);
  if (!confinement.areKernelFilesOpen) {
    for (const file of MASKED_FILES) view.mask(file);
    for (const file of READ_ONLY_FILES) view.freeze(file);
  }
  addDevices(view, {
    folder: path.join(layerDir, 'dev'),
    common: layers === undefined ? undefined : commonDevices,
    hasAll: hasAllDevices,
    // An OCI runtime opens the terminal inside. With one user, there is no group 5.
    ownTerminals: (image ?? confinement.oci) && { group: image?.owners === 'single' ? undefined : TERMINAL_GROUP },
    hostIPC: pod.hostIPC,
    sharedMemory,
  });
  if (confinement.oci) showConsole(view, path.join(layerDir, 'console'));
  for (const folder of shared) view.bind({ source: folder, target: folder, isReadOnly: isRootReadOnly, inner });
  if (image === undefined) for (const socket of engineSockets(process.getuid?.() ?? 0, homeFolder())) view.mask(socket);
  for (const mount of confinement.mounts) {
    if (mount.image === undefined) view.bind(mount);
    else if (!mount.isReadOnly) view.imageCopy(mount.image, mount.target);
    else view.imageVolume(mount.image, mount.target);
  }
  return view;
}

/**
 * Shows the programs that start other programs among files of an image. The mounts of podrun are where they belong even
 * when the image has links there.
 */
function showPrograms(view: MountPlan, programs: string): void {
  for (const folder of [...OWN_FOLDERS, PROGRAMS_FOLDER]) view.ownFolder(folder);
  view.bind({ source: programs, target: PROGRAMS_FOLDER, isReadOnly: true });
}

/** Gives OCI runtimes a place to which they bind the terminal: crun makes none. */
function showConsole(view: MountPlan, source: string): void {
  makeFileExactly(source, FILE_MODE);
  view.bind({ source, target: '/dev/console', isReadOnly: false });
}

interface HostView {
  readonly hostMounts: readonly HostMount[];
  readonly shared: readonly string[];
}

interface TopFolders extends HostView {
  /** The folder that becomes the root. */
  readonly skeleton: string;
  readonly isRootReadOnly: boolean;
  /** The mount points that the host lacks, without links. */
  readonly missing: readonly string[];
}

/** Shows the host's root, and all other mounts, as overlays. For root. */
function showRoot(view: MountPlan, { hostMounts, shared, targets }: HostView & { targets: readonly string[] }): void {
  view.copy('/');
  const others = hostMounts.filter(({ path: at }) => at !== '/' && ![...OWN_FOLDERS, ...shared].some(within(at)));
  for (const { path: at, type, options } of others.toSorted((a, b) => a.path.length - b.path.length)) {
    const stats = statQuietly(at);
    // A socket that is mounted by itself would lead to the program behind it.
    if (stats === undefined || stats.isSocket()) continue;
    // A read-only mount needs no layer (1 ms each; a snap is such a mount), unless a volume is mounted in it.
    const isFixed = options.includes('ro') && !targets.some((target) => isInFolder(target, at));
    const isCovered = view.covers(at);
    if (isCovered && !LOCAL_TYPES.has(type)) throw notCoverable(at, `a file system of type ${type}`);
    if (isCovered || (stats.isDirectory() && LOCAL_TYPES.has(type) && !isFixed))
      view.copy(at, { isOptional: !isCovered });
    else view.bind({ source: at, target: at, isReadOnly: true, inner: [], isOptional: true });
  }
}

/** Shows /sys, with the container's groups in place of the machine's. */
function showKernelFiles(view: MountPlan, { confinement, facts, cgroups = new Map() }: ContainerViewRequest): void {
  const isReadOnly = !confinement.hasAllDevices;
  const ofHost = cgroups.size === 0 ? [CGROUPS] : [];
  const inner = facts.mode === 'root' ? ofHost : 'read-only';
  view.bind({ source: '/sys', target: '/sys', isReadOnly, inner: isReadOnly ? inner : 'unchanged' });
  const bound = [...cgroups].filter(([place]) => isInFolder(place, CGROUPS));
  // Version 1 has a folder with a mount for each controller. It exists already where all mounts are.
  if (facts.mode === 'root' && isReadOnly && bound.length > 0 && !cgroups.has(CGROUPS)) {
    view.bind({ source: CGROUPS, target: CGROUPS, isReadOnly, inner: [] });
  }
  for (const [place, group] of bound) view.bind({ source: group, target: place, isReadOnly, inner: [] });
}

/**
 * Shows each top folder of the host as an overlay of its own, for ordinary users: an overlay's lower layer must not
 * have other mounts in it. A folder with mounts is shown directly, where users can write only what they could write
 * before.
 */
function showTopFolders(view: MountPlan, request: TopFolders): void {
  const { hostMounts, shared, skeleton, isRootReadOnly } = request;
  makeFolderExactly(skeleton, FOLDER_MODE);
  const entries = readdirSync('/', { withFileTypes: true });
  for (const entry of entries.filter((candidate) => candidate.isSymbolicLink())) {
    symlinkSync(readlinkSync(path.join('/', entry.name)), path.join(skeleton, entry.name));
  }
  if (view.covers('/')) view.copy('/', { source: skeleton });
  else view.bind({ source: skeleton, target: '/', isReadOnly: isRootReadOnly });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => path.join('/', name));
  for (const folder of folders.filter((candidate) => ![...OWN_FOLDERS, ...shared].includes(candidate))) {
    makeFolderExactly(path.join(skeleton, folder), FOLDER_MODE);
    if (!isOpen(folder)) continue;
    const inside = hostMounts.filter(({ path: at }) => at !== folder && isInFolder(at, folder));
    const type = mountOf(folder, hostMounts)?.type ?? '';
    if (inside.length === 0 && LOCAL_TYPES.has(type)) view.copy(folder);
    else if (view.covers(folder)) {
      const mount = inside[0] && `${inside[0].path} mounted in it, which only root can leave out`;
      throw notCoverable(folder, mount ?? `a file system of type ${type}`);
    } else showDirectly(view, folder, request);
  }
}

/** @param what the obstacle that the folder of the machine has */
function notCoverable(folder: string, what: string): Error {
  const rest = `no files of the image map can lie over it: move them elsewhere in their folder`;
  return new Error(`${folder} has ${what}, so ${rest}`);
}

/**
 * Shows a folder unchanged. Where a mount point is missing in it, its entries are shown one by one in a folder of the
 * layer, in which podrun can make the mount point: most machines have mounts below /run, where ServiceAccounts have
 * their files. Sockets stay out of reach there, as in a copy.
 */
function showDirectly(view: MountPlan, folder: string, request: Omit<TopFolders, keyof HostView>): void {
  const { skeleton, isRootReadOnly, missing } = request;
  if (!missing.some((target) => isInFolder(target, folder))) {
    const inner = isRootReadOnly ? 'read-only' : 'unchanged';
    const isOptional = path.dirname(folder) !== '/';
    return view.bind({ source: folder, target: folder, isReadOnly: isRootReadOnly, inner, isOptional });
  }
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const at = path.join(folder, entry.name);
    const place = path.join(skeleton, at);
    const link = entry.isSymbolicLink() ? quietly(() => readlinkSync(at)) : undefined;
    if (link !== undefined) symlinkSync(link, place);
    if (entry.isDirectory()) makeFolderExactly(place, FOLDER_MODE);
    if (entry.isFile()) makeFileExactly(place, FILE_MODE);
    // Entries of /run come and go.
    if ((entry.isDirectory() && isOpen(at)) || (entry.isFile() && isThere(at))) showDirectly(view, at, request);
  }
}

function isOpen(folder: string): boolean {
  return succeeds(() => accessSync(folder, constants.R_OK | constants.X_OK));
}

/** The path of a mount point on the host: without links, as far as it exists. */
function placeOnHost(target: string): string {
  const parent = path.dirname(target);
  const real = quietly(() => realpathSync(target));
  return real ?? (parent === target ? target : path.join(placeOnHost(parent), path.basename(target)));
}

/** Drops folders inside another folder of the list: a mount of the outer folder includes them. */
function outermost(folders: readonly string[]): string[] {
  return [...new Set(folders)].filter(
    (folder) => !folders.some((other) => other !== folder && isInFolder(folder, other)),
  );
}

function within(file: string): (folder: string) => boolean {
  return (folder) => isInFolder(file, folder);
}

function isThere(file: string): boolean {
  return statQuietly(file) !== undefined;
}
