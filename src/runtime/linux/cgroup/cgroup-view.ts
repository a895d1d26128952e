import { readQuietly } from '../../../quietly.ts';
import { isInFolder } from '../paths/host-mounts.ts';
import { hierarchiesOf } from './hierarchy.ts';

/**
 * The group that a container sees at the place of each mounted hierarchy: its own, or podrun's where it has none. These
 * are the roots of its cgroup namespace.
 * @param groups the folders of the container's groups
 */
export function groupsByMount(groups: readonly string[]): ReadonlyMap<string, string> {
  const hierarchies = hierarchiesOf(readQuietly('/proc/self/cgroup'), readQuietly('/proc/self/mountinfo'));
  return new Map(
    hierarchies.map(({ root, own }) => [root, groups.find((group) => isInFolder(group, root)) ?? own] as const),
  );
}
