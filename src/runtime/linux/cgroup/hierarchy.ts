import path from 'node:path';

/** A controller, which limits or counts a resource. `cpuacct` is separate in version 1 only. */
export type Controller = 'memory' | 'cpu' | 'pids' | 'cpuacct';

/** A mounted hierarchy of cgroups. */
export interface Hierarchy {
  readonly version: 1 | 2;
  /** The controllers of a version 1 hierarchy. Empty in version 2, where they differ by group. */
  readonly controllers: readonly string[];
  /** The folder of its topmost visible group. */
  readonly root: string;
  /** The folder of this process's group. */
  readonly own: string;
}

/**
 * The hierarchies in which this process can find its group.
 * @param membership text of /proc/self/cgroup
 * @param mounts text of /proc/self/mountinfo
 * @see cgroups(7), proc_pid_mountinfo(5)
 */
export function hierarchiesOf(membership: string, mounts: string): Hierarchy[] {
  const groups = membership.split('\n').flatMap((line) => {
    const [, controllers, group] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    return controllers === undefined || group === undefined ? [] : [{ controllers: controllers.split(','), group }];
  });
  const hierarchies: Hierarchy[] = [];
  for (const { type, rootGroup, folder, options } of mounts.split('\n').flatMap(parseMount)) {
    const version = type === 'cgroup2' ? 2 : 1;
    const membershipHere = groups.find(({ controllers }) =>
      version === 2 ? controllers[0] === '' : controllers.every((name) => name !== '' && options.includes(name)),
    );
    if (membershipHere === undefined) continue;
    const below = path.posix.relative(rootGroup, membershipHere.group);
    // A group outside the mounted part cannot be seen.
    if (below === '..' || below.startsWith('../')) continue;
    const controllers = version === 2 ? [] : membershipHere.controllers;
    // The hierarchy may be mounted twice.
    if (hierarchies.some((other) => other.version === version && other.controllers.join() === controllers.join()))
      continue;
    hierarchies.push({ version, controllers, root: folder, own: path.posix.join(folder, below) });
  }
  return hierarchies;
}

interface CgroupMount {
  readonly type: string;
  /** The group at the mount point. */
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

/** Decodes blanks and backslashes in paths, which are octal numbers. */
function unescaped(text: string): string {
  return text.replaceAll(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
