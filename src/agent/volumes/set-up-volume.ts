import { chmodSync, closeSync, mkdirSync, openSync, realpathSync, type Stats, statSync } from 'node:fs';
import path from 'node:path';
import type { HostPathVolumeSource, Volume } from '../../api/generated/types.ts';
import { objectNotFound } from '../../lifecycle/texts/config-errors.ts';
import { hostPathInState } from '../../lifecycle/texts/volume-errors.ts';
import { type VolumeFacts, volumeFiles } from '../../lifecycle/volumes/volume-files.ts';
import { memoryWanted } from '../../lifecycle/volumes/volume-medium.ts';
import { type FileKind, judgeHostPath } from '../../lifecycle/volumes/volume-host-path.ts';
import { errnoOf } from '../../runtime/errno.ts';
import { makeFolder } from '../../store/atomic-file.ts';
import type { MemoryArea } from '../../store/memory-folders.ts';
import { writeVolumeFiles } from './atomic-writer.ts';
import { giveToGroup, type VolumeGroup } from './fs-group.ts';
import { makeInMemory } from './in-memory.ts';

export interface VolumePlaces {
  /** Holds a folder for each volume of the Pod. Made here; the folder around it is there. */
  readonly volumes: string;
  readonly memory: MemoryArea;
  /** Where the data of a claim lies; undefined when there is no such claim. */
  readonly claim: (name: string) => string | undefined;
  /** The folder that stands for an image; undefined when none does. */
  readonly image: (reference: string) => string | undefined;
  /** What relative paths of the host are relative to. */
  readonly cwd: string;
  /** To which volumes are given; undefined: they stay as they are. */
  readonly group?: number | undefined;
}

const ANYBODY = 0o777;
/** Source: pkg/volume/hostpath/host_path.go makeDir. */
const HOST_FOLDER_MODE = 0o755;

/**
 * Makes one volume ready, and answers where it is. What is there already stays; files that the kubelet writes are
 * brought up to date.
 * @throws {Error} with kubelet's words, or of the file system
 */
export function setUpVolume(volume: Volume, facts: VolumeFacts, places: VolumePlaces, wallMs: number): string {
  if (volume.hostPath !== undefined) return setUpHostPath(volume.hostPath, places);
  if (volume.persistentVolumeClaim !== undefined) {
    const { claimName } = volume.persistentVolumeClaim;
    const folder = places.claim(claimName);
    if (folder === undefined) throw new Error(objectNotFound('persistentvolumeclaim', claimName));
    if (makeFolder(folder)) chmodSync(folder, ANYBODY);
    const onlyOnMismatch = facts.pod.spec.securityContext?.fsGroupChangePolicy === 'OnRootMismatch';
    giveVolume(folder, { isReadOnly: false, onlyOnMismatch }, places);
    return folder;
  }
  // Where no folder stands for it, no container that mounts it starts: an empty one is seen by nobody.
  const image = volume.image && places.image(volume.image.reference ?? '');
  if (image !== undefined) return image;
  const written = volumeFiles(volume, facts);
  if (written?.ok === false) throw new Error(written.message);
  // Not with the folders above: a Pod that was removed meanwhile must not come back as an empty folder.
  makeFolderIn(places.volumes);
  const place = path.join(places.volumes, volume.name);
  const bytes = memoryWanted(volume);
  const inMemory = bytes && makeInMemory(places.memory, { uid: facts.pod.metadata.uid, link: place, bytes });
  const { folder, isNew } = inMemory || { folder: place, isNew: makeFolderIn(place) };
  if (isNew) {
    chmodSync(folder, ANYBODY);
    giveVolume(folder, { isReadOnly: written !== undefined, onlyOnMismatch: false }, places);
  }
  if (written !== undefined) {
    const give = (): void => giveVolume(folder, { isReadOnly: true, onlyOnMismatch: false }, places);
    writeVolumeFiles(folder, written.files, wallMs, give);
  }
  return folder;
}

function giveVolume(folder: string, how: Omit<VolumeGroup, 'gid'>, { group }: VolumePlaces): void {
  if (group !== undefined) giveToGroup(folder, { gid: group, ...how });
}

/** Makes a folder in one that must be there. Answers false where there is one already. */
function makeFolderIn(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Source: pkg/volume/hostpath/host_path.go. */
function setUpHostPath({ path: wanted, type }: HostPathVolumeSource, { cwd, memory }: VolumePlaces): string {
  const place = path.resolve(cwd, wanted);
  if (isIn(memory.root, place)) throw new Error(hostPathInState(wanted));
  const verdict = judgeHostPath(wanted, type, kindOf(place));
  if (verdict.type === 'failed') throw new Error(verdict.message);
  if (verdict.type === 'make') {
    if (verdict.kind === 'directory') makeFolder(place, HOST_FOLDER_MODE);
    else closeSync(openSync(place, 'a', 0o644));
  }
  return place;
}

/** Is it this folder, or does it lie in it, wherever links lead? */
function isIn(folder: string, place: string): boolean {
  try {
    const [outer, inner] = [realpathSync(folder), realpathSync(place)];
    return inner === outer || inner.startsWith(`${outer}/`);
  } catch {
    return false; // it is not there
  }
}

function kindOf(place: string): FileKind | undefined {
  const stats = statSync(place, { throwIfNoEntry: false });
  return stats === undefined ? undefined : (KINDS.find(([, is]) => is(stats))?.[0] ?? 'other');
}

const KINDS: ReadonlyArray<readonly [FileKind, (stats: Stats) => boolean]> = [
  ['directory', (stats) => stats.isDirectory()],
  ['file', (stats) => stats.isFile()],
  ['socket', (stats) => stats.isSocket()],
  ['character device', (stats) => stats.isCharacterDevice()],
  ['block device', (stats) => stats.isBlockDevice()],
];
