import type { ContainerUser } from '../../api/index.ts';
import { dropsAll, wantedCapabilities } from './capabilities.ts';
import type { EffectiveSecurity } from './effective-security.ts';
import { canChangeUser, canDrop, type OwnRights } from './own-rights.ts';

/** The identity of a process. Undefined fields are podrun's own. */
export interface RunAs {
  readonly uid: number | undefined;
  readonly gid: number | undefined;
  /** All groups. Undefined with another user: no groups. */
  readonly groups: readonly number[] | undefined;
  readonly capabilities: readonly string[] | undefined;
  readonly noNewPrivileges: boolean;
}

/**
 * The user of a container for its status, with its group among the groups as a container runtime names them.
 * @param identity undefined: podrun's own user
 */
export function userOf(
  identity: Pick<RunAs, 'uid' | 'gid' | 'groups'> | undefined,
  rights: Pick<OwnRights, 'uid' | 'gid' | 'groups'>,
): ContainerUser {
  const { uid = rights.uid, gid = rights.gid } = identity ?? {};
  const groups = identity?.groups ?? (identity?.uid === undefined ? rights.groups : []);
  return { linux: { uid, gid, supplementalGroups: [...new Set([gid, ...groups])] } };
}

/** The identity that is closest to a container's settings. `judgeSecurity` lists the differences. */
export function runAs(security: EffectiveSecurity, rights: OwnRights): RunAs {
  const ids = rights.isInUserNamespace ? seenIds(security, rights) : realIds(security, rights);
  return {
    ...ids,
    capabilities: capabilitiesFor(security, rights, ids.uid ?? rights.uid),
    noNewPrivileges: rights.hasSetpriv && (security.noNewPrivileges || canRegainCapabilities(security, rights)),
  };
}

/** True when the identity is podrun's own. */
export function isOwn({ uid, gid, groups, capabilities, noNewPrivileges }: RunAs): boolean {
  return [uid, gid, groups, capabilities].every((part) => part === undefined) && !noNewPrivileges;
}

/** The largest user or group. Source: moby/sys/user maxID; beyond it, numbers of 32 bits have other meanings. */
const ID_MAX = 2 ** 31 - 1;

export function isUsableId(id: number): boolean {
  return Number.isInteger(id) && id >= 0 && id <= ID_MAX;
}

/** True unless the kernel could take an id of the process for another one. */
export function hasUsableIds({ uid = 0, gid = 0, groups = [] }: Pick<RunAs, 'uid' | 'gid' | 'groups'>): boolean {
  return [uid, gid, ...groups].every(isUsableId);
}

/** The user that a container sees itself as. */
export function seenUser({ uid }: Pick<RunAs, 'uid'>, rights: OwnRights): number {
  return uid ?? rights.uid;
}

/** The group of the files that a container creates, as the container sees it. */
export function seenGroup({ gid }: Pick<RunAs, 'gid'>, rights: OwnRights): number {
  return gid ?? rights.gid;
}

type Ids = Pick<RunAs, 'uid' | 'gid' | 'groups'>;

/** The ids that a user namespace shows for podrun's own. Groups cannot be chosen there. */
function seenIds({ runAsUser, runAsGroup }: EffectiveSecurity, rights: OwnRights): Ids {
  const uid = runAsUser === rights.uid ? undefined : runAsUser;
  const gid = runAsGroup ?? (uid === undefined ? undefined : groupOf(uid, rights));
  return { uid, gid: gid === rights.gid ? undefined : gid, groups: undefined };
}

function realIds(security: EffectiveSecurity, rights: OwnRights): Ids {
  if (!canChangeUser(rights)) return { uid: undefined, gid: undefined, groups: undefined };
  const { runAsUser, runAsGroup, fsGroup, supplementalGroups, isStrictAboutGroups } = security;
  const uid = runAsUser === rights.uid ? undefined : runAsUser;
  const gid = runAsGroup ?? (uid === undefined ? undefined : groupOf(uid, rights));
  const requestedGroups = [...supplementalGroups, ...(fsGroup === undefined ? [] : [fsGroup])];
  if (uid === undefined && gid === undefined && requestedGroups.length === 0 && !isStrictAboutGroups) {
    return { uid, gid, groups: undefined };
  }
  const known = uid === undefined ? rights.groups : (rights.account(uid)?.groups ?? []);
  // The first group is the primary group, as in container runtimes.
  const groups = new Set([gid ?? rights.gid, ...(isStrictAboutGroups ? [] : known), ...requestedGroups]);
  return { uid, gid, groups: [...groups] };
}

/** The group of a user without runAsGroup. Source: containerd, pkg/oci/spec_opts.go WithUserID. */
function groupOf(uid: number, rights: OwnRights): number {
  return rights.account(uid)?.gid ?? 0;
}

/**
 * The capabilities of a process. As on a node, only root has effective capabilities, and the bounding set limits every
 * user. In the process tier, root without security settings keeps podrun's capabilities: such a container is a process
 * of the machine in every other respect.
 */
function capabilitiesFor(
  security: EffectiveSecurity,
  rights: OwnRights,
  seenUid: number,
): readonly string[] | undefined {
  if (security.privileged) return undefined;
  if (rights.isInUserNamespace) return seenUid === 0 ? wantedCapabilities(security.capabilities) : undefined;
  if (!canDrop(rights)) return undefined;
  const { add = [], drop = [] } = security.capabilities;
  const changesRights = add.length + drop.length > 0 || seenUid !== rights.uid;
  if (rights.tier === 'process' && !changesRights) return undefined;
  return wantedCapabilities(security.capabilities).filter((name) => rights.capabilities.includes(name));
}

/** True when a setuid program could regain capabilities that podrun had no right to drop for good. */
function canRegainCapabilities(security: EffectiveSecurity, rights: OwnRights): boolean {
  return !security.privileged && !rights.isInUserNamespace && !canDrop(rights) && dropsAll(security.capabilities);
}
