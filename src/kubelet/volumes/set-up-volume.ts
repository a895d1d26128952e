import { chmodSync, type Stats } from 'node:fs';
import path from 'node:path';
import { makeFileExactly, makeFolderExactly } from '../../exact-mode.ts';
import { statIfThere } from '../../quietly.ts';
import { type HostPathVolumeSource, isKnownMedium, type Volume } from '../../api/index.ts';
import {
  type FileKind,
  hostPathInState,
  judgeHostPath,
  memoryVolumeSize,
  memoryWanted,
  objectNotFound,
  unknownMedium,
  type VolumeFacts,
  volumeFiles,
} from '../../lifecycle/index.ts';
import { type ImageLayers, mkdirIfMissing } from '../../runtime/index.ts';
import { makeFolder, makeInMemory, type MemoryArea, type MemoryFolder } from '../../store/index.ts';
import { writeVolumeFiles } from './atomic-writer.ts';
import type { ClaimedData } from '../../apiserver/index.ts';
import { giveToGroup, type VolumeGroup } from './fs-group.ts';
import { isInside } from './inside-volume.ts';

export interface VolumeSources {
  /** The folder for the Pod's volumes. Created here; its parent exists. */
  readonly volumes: string;
  readonly memory: MemoryArea;
  /** The data of a claim. Undefined: there is no such claim. */
  readonly claim: (name: string) => ClaimedData | undefined;
  /** The folder that stands for an image. Undefined: there is none. */
  readonly image: (reference: string) => string | undefined;
  /**
   * The files of an image that a container has pulled.
   * @throws {Error} when they cannot be a volume here, or are not on this machine any more
   */
  readonly imageFiles?: (reference: string) => ImageLayers;
  /** Called when a missing folder was made that the manifest expects. */
  readonly onMade?: (volume: string, folder: string) => void;
  /**
   * The place where an emptyDir in memory is mounted as a file system with a size of its own, as on a node: this
   * machine, or the mounts of its Pod alone. Undefined: it has none.
   */
  readonly sizesMemory?: 'here' | 'in Pod' | undefined;
  /** The group that gets the volumes. Undefined: volumes keep their group. */
  readonly group?: number | undefined;
}

const ANYBODY = 0o777;
/** Source: pkg/volume/hostpath/host_path.go makeDir, makeFile. */
const HOST_FOLDER_MODE = 0o755;
const HOST_FILE_MODE = 0o644;

/**
 * Sets one volume up and returns its folder. Keeps existing data; updates the files that the kubelet writes.
 * @throws {Error} with kubelet's words, or of the file system
 */
export function setUpVolume(volume: Volume, facts: VolumeFacts, sources: VolumeSources, wallMs: number): string {
  if (volume.hostPath !== undefined) return setUpHostPath(volume.name, volume.hostPath, sources, facts.node.disk);
  if (volume.persistentVolumeClaim !== undefined) {
    const { claimName } = volume.persistentVolumeClaim;
    const data = sources.claim(claimName);
    if (data === undefined) throw new Error(objectNotFound('persistentvolumeclaim', claimName));
    if ('hostPath' in data) return setUpHostPath(volume.name, data.hostPath, sources);
    const { folder } = data;
    if (makeFolder(folder)) chmodSync(folder, ANYBODY);
    const onlyOnMismatch = facts.pod.spec.securityContext?.fsGroupChangePolicy === 'OnRootMismatch';
    giveVolume(folder, { isReadOnly: false, onlyOnMismatch }, sources);
    return folder;
  }
  const { medium = '' } = volume.emptyDir ?? {};
  if (!isKnownMedium(medium)) throw new Error(unknownMedium(medium));
  // An image without a folder keeps its containers from starting: no container sees the empty folder below.
  const image = volume.image && sources.image(volume.image.reference ?? '');
  if (image !== undefined) return image;
  const written = volumeFiles(volume, facts);
  if (written?.ok === false) throw new Error(written.message);
  // Creates no parent folders: a Pod that was removed meanwhile must not come back as an empty folder.
  mkdirIfMissing(sources.volumes, 0o700);
  const volumeDir = path.join(sources.volumes, volume.name);
  const inMemory = setUpInMemory(volume, volumeDir, facts, sources);
  const { folder, isNew } = inMemory ?? { folder: volumeDir, isNew: mkdirIfMissing(volumeDir, ANYBODY) };
  if (isNew) {
    chmodSync(folder, ANYBODY);
    giveVolume(folder, { isReadOnly: written !== undefined, onlyOnMismatch: false }, sources);
  }
  if (written !== undefined) {
    const give = (): void => giveVolume(folder, { isReadOnly: true, onlyOnMismatch: false }, sources);
    writeVolumeFiles(folder, written.files, wallMs, give);
  }
  return folder;
}

/** The folder in memory of a volume that must not be on a disk. Undefined: the volume has to be on disk, or may be. */
function setUpInMemory(
  volume: Volume,
  link: string,
  { pod, node }: VolumeFacts,
  sources: VolumeSources,
): MemoryFolder | undefined {
  const bytes = memoryWanted(volume);
  if (bytes === undefined) return undefined;
  const { memory } = sources;
  const { uid } = pod.metadata;
  if (sources.sizesMemory === undefined || volume.emptyDir === undefined)
    return makeInMemory(memory, { uid, link, bytes });
  // Only its mount point takes room of the memory there.
  const made = makeInMemory(memory, { uid, link, bytes: 1 });
  if (made?.isNew === true && sources.sizesMemory === 'here')
    memory.mounts?.mount(made.folder, memoryVolumeSize(volume, pod.spec, node));
  return made;
}

/** Gives a volume to the group that its Pod wants. */
export function giveVolume(
  folder: string,
  how: Omit<VolumeGroup, 'gid'>,
  { group }: Pick<VolumeSources, 'group'>,
): void {
  if (group !== undefined) giveToGroup(folder, { gid: group, ...how });
}

/** Source: pkg/volume/hostpath/host_path.go. */
function setUpHostPath(
  name: string,
  { path: wanted, type: given }: HostPathVolumeSource,
  sources: VolumeSources,
  disk?: string,
): string {
  const { memory, onMade } = sources;
  const onMachine = path.resolve('/', wanted);
  if (isInside(memory.root, onMachine)) throw new Error(hostPathInState(wanted));
  // The disk of a node is empty at first.
  const type = disk !== undefined && given === 'Directory' ? 'DirectoryOrCreate' : given;
  const hostPath = disk === undefined ? onMachine : path.join(disk, onMachine);
  const verdict = judgeHostPath(wanted, type, kindOf(hostPath));
  if (verdict.type === 'failed') throw new Error(verdict.message);
  if (verdict.type === 'make') {
    if (verdict.kind === 'directory') makeFolder(hostPath, (folder) => makeFolderExactly(folder, HOST_FOLDER_MODE));
    else makeFileExactly(hostPath, HOST_FILE_MODE);
    if (verdict.isOfRuntime === true) onMade?.(name, hostPath);
  }
  return hostPath;
}

function kindOf(file: string): FileKind | undefined {
  const stats = statIfThere(file);
  return stats === undefined ? undefined : (KINDS.find(([, is]) => is(stats))?.[0] ?? 'other');
}

const KINDS: ReadonlyArray<readonly [FileKind, (stats: Stats) => boolean]> = [
  ['directory', (stats) => stats.isDirectory()],
  ['file', (stats) => stats.isFile()],
  ['socket', (stats) => stats.isSocket()],
  ['character device', (stats) => stats.isCharacterDevice()],
  ['block device', (stats) => stats.isBlockDevice()],
];
