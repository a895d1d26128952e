import type { PodSpec } from '../../api/generated/types.ts';
import { allContainers } from '../../api/objects.ts';
import { effectiveSecurity } from './effective-security.ts';
import type { Powers } from './powers.ts';
import { runAs, seenGroup } from './run-as.ts';

/**
 * The group that volumes of a Pod are given to, as this machine counts; undefined: none was asked for, or podrun may
 * not give anything to it, which is told.
 */
export function volumeGroup(spec: PodSpec, powers: Powers): number | undefined {
  const fsGroup = spec.securityContext?.fsGroup;
  if (fsGroup === undefined) return undefined;
  if (mayGiveTo(fsGroup, powers)) return fsGroup;
  // What belongs to podrun's own group is what such a container sees as its group's.
  const isSeen = allContainers(spec).some((container) => {
    return seenGroup(runAs(effectiveSecurity(spec, container), powers), powers) === fsGroup;
  });
  return powers.isInUserNamespace && isSeen ? powers.gid : undefined;
}

function mayGiveTo(group: number, { isInUserNamespace, capabilities, gid, groups }: Powers): boolean {
  if (capabilities.includes('chown') && !isInUserNamespace) return true;
  return gid === group || groups.includes(group);
}
