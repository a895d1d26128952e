import path from 'node:path';

/** What the kernel can limit or count for a group of processes. `cpuacct` is a controller of its own in version 1. */
export type Controller = 'memory' | 'cpu' | 'pids' | 'cpuacct';

/** A mounted hierarchy of cgroups. */
export interface Hierarchy {
  readonly version: 1 | 2;
  /** Of version 1: what it is about; of version 2 this differs from group to group. */
  readonly controllers: readonly string[];
  /** Where its first group is, as far as we see. */
  readonly root: string;
  /** The folder of the group that this process is in. */
  readonly own: string;
}

/**
 * The hierarchies of cgroups in which this process can find itself.
 * @param membership text of /proc/self/cgroup
 * @param mounts text of /proc/self/mountinfo
 * @see cgroups(7), proc_pid_mountinfo(5)
 */
export function hierarchiesOf(membership: string, mounts: string): Hierarchy[] {
  const groups = membership.split('\n').flatMap((line) => {
    const [, controllers, group] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    return controllers === undefined || group === undefined ? [] : [{ controllers: controllers.split(','), group }];
  });
  const found: Hierarchy[] = [];
  for (const { type, rootGroup, folder, options } of mounts.split('\n').flatMap(parseMount)) {
    const version = type === 'cgroup2' ? 2 : 1;
    const membershipHere = groups.find(({ controllers }) =>
      version === 2 ? controllers[0] === '' : controllers.every((name) => name !== '' && options.includes(name)),
    );
    if (membershipHere === undefined) continue;
    const below = path.posix.relative(rootGroup, membershipHere.group);
    // A group beside what is mounted cannot be seen from here.
    if (below === '..' || below.startsWith('../')) continue;
    const controllers = version === 2 ? [] : membershipHere.controllers;
    // Mounted a second time, it is the same.
    if (found.some((other) => other.version === version && other.controllers.join() === controllers.join())) continue;
    found.push({ version, controllers, root: folder, own: path.posix.join(folder, below) });
  }
  return found;
}

interface CgroupMount {
  readonly type: string;
  /** The group that is at the mount point. */
  readonly rootGroup: string;
  readonly folder: string;
  readonly options: readonly string[];
}

function parseMount(line: string): CgroupMount[] {
  const [front = '', back = ''] = line.split(' - ');
  const [, , , rootGroup = '', folder = ''] = front.split(' ');
  const [type = '', , options = ''] = back.split(' ');
  if (type !== 'cgroup' && type !== 'cgroup2') return [];
  return [{ type, rootGroup: unescaped(rootGroup), folder: unescaped(folder), options: options.split(',') }];
}

/** Blanks and backslashes in paths are written as octal numbers. */
function unescaped(text: string): string {
  return text.replaceAll(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
