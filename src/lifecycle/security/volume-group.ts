import { allContainers, type PodSpec } from '../../api/index.ts';
import { effectiveSecurity } from './effective-security.ts';
import type { OwnRights } from './own-rights.ts';
import { runAs, seenGroup } from './run-as.ts';

/**
 * The machine's group that owns the volumes of a Pod. Undefined: there is no fsGroup, or podrun has no right to give
 * files to the group, which a notice reports.
 */
export function volumeGroup(spec: PodSpec, rights: OwnRights): number | undefined {
  const fsGroup = spec.securityContext?.fsGroup;
  if (fsGroup === undefined) return undefined;
  if (mayGiveTo(fsGroup, rights)) return fsGroup;
  // In a user namespace, files of podrun's own group appear as files of the container's group.
  const isSeen = allContainers(spec).some((container) => {
    return seenGroup(runAs(effectiveSecurity(spec, container), rights), rights) === fsGroup;
  });
  return rights.isInUserNamespace && isSeen ? rights.gid : undefined;
}

function mayGiveTo(group: number, { isInUserNamespace, capabilities, gid, groups }: OwnRights): boolean {
  if (capabilities.includes('chown') && !isInUserNamespace) return true;
  return gid === group || groups.includes(group);
}
