import { dropsAll, wantedCapabilities } from './capabilities.ts';
import type { EffectiveSecurity } from './effective-security.ts';
import { canChangeUser, canDrop, type Powers } from './powers.ts';

/** As whom a process runs. What is undefined is podrun's own. */
export interface RunAs {
  readonly uid: number | undefined;
  readonly gid: number | undefined;
  /** All groups; undefined for another user: none. */
  readonly groups: readonly number[] | undefined;
  readonly capabilities: readonly string[] | undefined;
  readonly noNewPrivileges: boolean;
}

type Wish = EffectiveSecurity;

/** What comes closest to what a container asks for; what is missing then, `complaints` says. */
export function runAs(wish: Wish, powers: Powers): RunAs {
  const ids = powers.isInUserNamespace ? seenIds(wish, powers) : realIds(wish, powers);
  return {
    ...ids,
    capabilities: capabilitiesFor(wish, powers, ids.uid ?? powers.uid),
    noNewPrivileges: powers.hasSetpriv && (wish.noNewPrivileges || mayRegain(wish, powers)),
  };
}

/** Has anything changed? */
export function isOwn({ uid, gid, groups, capabilities, noNewPrivileges }: RunAs): boolean {
  return [uid, gid, groups, capabilities].every((part) => part === undefined) && !noNewPrivileges;
}

/** The user a container sees itself as. */
export function seenUser({ uid }: Pick<RunAs, 'uid'>, powers: Powers): number {
  return uid ?? powers.uid;
}

/** The group that files belong to that a container makes, as it sees it. */
export function seenGroup({ gid }: Pick<RunAs, 'gid'>, powers: Powers): number {
  return gid ?? powers.gid;
}

type Ids = Pick<RunAs, 'uid' | 'gid' | 'groups'>;

/** The ids that podrun's own are shown as. Nobody may choose groups there. */
function seenIds({ runAsUser, runAsGroup }: Wish, powers: Powers): Ids {
  const uid = runAsUser === powers.uid ? undefined : runAsUser;
  const gid = runAsGroup ?? (uid === undefined ? undefined : groupOf(uid, powers));
  return { uid, gid: gid === powers.gid ? undefined : gid, groups: undefined };
}

function realIds(wish: Wish, powers: Powers): Ids {
  if (!canChangeUser(powers)) return { uid: undefined, gid: undefined, groups: undefined };
  const { runAsUser, runAsGroup, fsGroup, supplementalGroups, isStrictAboutGroups } = wish;
  const uid = runAsUser === powers.uid ? undefined : runAsUser;
  const gid = runAsGroup ?? (uid === undefined ? undefined : groupOf(uid, powers));
  const asked = [...supplementalGroups, ...(fsGroup === undefined ? [] : [fsGroup])];
  if (uid === undefined && gid === undefined && asked.length === 0 && !isStrictAboutGroups) {
    return { uid, gid, groups: undefined };
  }
  const known = uid === undefined ? powers.groups : (powers.account(uid)?.groups ?? []);
  // The first is the group itself: container runtimes put it there, too.
  const groups = new Set([gid ?? powers.gid, ...(isStrictAboutGroups ? [] : known), ...asked]);
  return { uid, gid, groups: [...groups] };
}

/** The group of a user for whom none was asked. Source: containerd, pkg/oci/spec_opts.go WithUserID. */
function groupOf(uid: number, powers: Powers): number {
  return powers.account(uid)?.gid ?? 0;
}

/**
 * As on a node, nobody but root has any in effect, and everybody is kept from more than their set by the bounding set.
 * In the process tier a root that asks for nothing keeps what podrun has: such a container is a process of the machine
 * in every other respect.
 */
function capabilitiesFor(wish: Wish, powers: Powers, seenUid: number): readonly string[] | undefined {
  if (wish.privileged) return undefined;
  if (powers.isInUserNamespace) return seenUid === 0 ? wantedCapabilities(wish.capabilities) : undefined;
  if (!canDrop(powers)) return undefined;
  const { add = [], drop = [] } = wish.capabilities;
  const isAsked = add.length + drop.length > 0 || seenUid !== powers.uid;
  if (powers.tier === 'process' && !isAsked) return undefined;
  return wantedCapabilities(wish.capabilities).filter((name) => powers.capabilities.includes(name));
}

/** Whoever is to have no capability, but has no rights to give up for good, could get some by a setuid program. */
function mayRegain(wish: Wish, powers: Powers): boolean {
  return !wish.privileged && !powers.isInUserNamespace && !canDrop(powers) && dropsAll(wish.capabilities);
}
