import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { ifThere } from '../live-files.ts';

/**
 * The mount source of a test's own mounts. Another process with a new mount namespace may take a copy of such a mount
 * along.
 */
export const SMALL_DISK = 'chaos-disk';

/** The folders and ids that tell whether something belongs to a podrun. */
export interface Whereabouts {
  /** The parent folder of everything in the run: state, working folder, temporary files. */
  readonly folder: string;
  readonly stateDir: string;
  /** The uids of the Pods of the run. */
  readonly uids: readonly string[];
}

/** Everything that an ended podrun has left on the machine, a line each. Empty when nothing is left. */
export function whatIsLeft(where: Whereabouts): string[] {
  return [...processes(where), ...mounts(where), ...cgroups(where), ...sockets(where), ...strayFiles(where)];
}

/** Processes with the folder in their environment, command line, open files or mounts. */
export function processes({ folder }: Pick<Whereabouts, 'folder'>): string[] {
  const isMountedHere = read('/proc/self/mountinfo').includes(folder);
  return numbersIn('/proc').flatMap((pid) => {
    if (pid === process.pid || pid === process.ppid) return [];
    const at = `/proc/${pid}`;
    const command = read(`${at}/cmdline`).replaceAll('\0', ' ').slice(0, 100);
    const links = [`${at}/cwd`, `${at}/root`, `${at}/exe`, ...namesIn(`${at}/fd`).map((fd) => `${at}/fd/${fd}`)];
    const traces = {
      environment: read(`${at}/environ`),
      'command line': read(`${at}/cmdline`),
      'open files': links.map(target).join('\n'),
      'mount namespace': isMountedHere ? '' : mountsIn(`${at}/mountinfo`),
    };
    const found = Object.entries(traces).filter(([, text]) => text.includes(folder));
    return found.length === 0 ? [] : [`process ${pid} (${found.map(([what]) => what).join(', ')}): ${command}`];
  });
}

function mountsIn(file: string): string {
  const lines = read(file).split('\n');
  // Where a mount of `churn` is gone in the moment of the copy, the copy is of the folder below it.
  return lines.filter((line) => !line.includes(` ${SMALL_DISK} `) && !line.includes('/churn/')).join('\n');
}

function mounts({ folder }: Whereabouts): string[] {
  const lines = read('/proc/self/mountinfo').split('\n');
  return lines.filter((line) => line.includes(folder)).map((line) => `mount: ${line}`);
}

function cgroups({ uids }: Whereabouts): string[] {
  const found: string[] = [];
  const look = (folder: string, depth: number): void => {
    for (const name of foldersIn(folder)) {
      const inside = path.join(folder, name);
      if (uids.some((uid) => name.includes(uid))) found.push(`cgroup: ${inside}`);
      else if (depth < 6) look(inside, depth + 1);
    }
  };
  look('/sys/fs/cgroup', 0);
  return found;
}

/** Unix sockets that a process listens at, with and without a file. */
function sockets({ folder, uids }: Whereabouts): string[] {
  const lines = read('/proc/net/unix').split('\n');
  return lines
    .filter((line) => line.includes(folder) || uids.some((uid) => line.includes(uid)))
    .map((line) => `socket: ${line}`);
}

/** Temporary and special files below the state folder and in the usual other folders. */
function strayFiles({ folder, stateDir, uids }: Whereabouts): string[] {
  const found: string[] = [];
  const look = (place: string): void => {
    for (const name of namesIn(place)) {
      const file = path.join(place, name);
      const inState = path.relative(stateDir, file);
      if (isTemporary(inState, file)) found.push(`file: ${file} ${target(file)}`);
      // The contents of volumes and logs belong to the containers.
      else if (isFolder(file) && !/^pods\/[^/]+\/[^/]+\/(volumes|logs)$/.test(inState)) look(file);
    }
  };
  look(stateDir);
  // podrun made this mount point, see scenario.ts.
  if (existsSync(path.join(folder, 'mounted'))) found.push(`file: ${folder}/mounted`);
  for (const place of ['/tmp', '/dev/shm', '/run', '/run/lock', path.join(folder, 'tmp')]) {
    for (const name of namesIn(place)) {
      if (place.startsWith(folder) || uids.some((uid) => name.includes(uid))) found.push(`file: ${place}/${name}`);
    }
  }
  return found;
}

/** True for a temporary or special file. */
function isTemporary(inState: string, file: string): boolean {
  const name = path.basename(file);
  // Commands ran in this process, which keeps a link for its locks until it ends: see file-lock.ts.
  if (inState.startsWith('.locks/.own/') && name.startsWith(encodeURIComponent(`${process.pid}|`))) return false;
  if (name.startsWith('.tmp-') || /^\.(staging|locks)\/.*[^/]$/.test(inState)) return !isFolder(file);
  if (/^pods\/[^/]+\/[^/]+\/layers\/[^/]+\/[^/]+$/.test(inState)) return true;
  const kind = ifThere(() => lstatSync(file));
  return kind?.isSocket() === true || kind?.isFIFO() === true;
}

function isFolder(file: string): boolean {
  try {
    return lstatSync(file).isDirectory();
  } catch {
    return false;
  }
}

function numbersIn(folder: string): number[] {
  return namesIn(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

function target(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return '';
  }
}
