import { dropsAll, wantedCapabilities } from './capabilities.ts';
import type { EffectiveSecurity } from './effective-security.ts';
import { canChangeUser, canDrop, type Powers } from './powers.ts';

/** The identity of a process. Undefined fields are podrun's own. */
export interface RunAs {
  readonly uid: number | undefined;
  readonly gid: number | undefined;
  /** All groups. Undefined with another user: no groups. */
  readonly groups: readonly number[] | undefined;
  readonly capabilities: readonly string[] | undefined;
  readonly noNewPrivileges: boolean;
}

type Wish = EffectiveSecurity;

/** The identity that is closest to a container's settings. `judgeSecurity` lists the differences. */
export function runAs(wish: Wish, powers: Powers): RunAs {
  const ids = powers.isInUserNamespace ? seenIds(wish, powers) : realIds(wish, powers);
  return {
    ...ids,
    capabilities: capabilitiesFor(wish, powers, ids.uid ?? powers.uid),
    noNewPrivileges: powers.hasSetpriv && (wish.noNewPrivileges || canRegainCapabilities(wish, powers)),
  };
}

/** True when the identity is podrun's own. */
export function isOwn({ uid, gid, groups, capabilities, noNewPrivileges }: RunAs): boolean {
  return [uid, gid, groups, capabilities].every((part) => part === undefined) && !noNewPrivileges;
}

/** The user that a container sees itself as. */
export function seenUser({ uid }: Pick<RunAs, 'uid'>, powers: Powers): number {
  return uid ?? powers.uid;
}

/** The group of the files that a container creates, as the container sees it. */
export function seenGroup({ gid }: Pick<RunAs, 'gid'>, powers: Powers): number {
  return gid ?? powers.gid;
}

type Ids = Pick<RunAs, 'uid' | 'gid' | 'groups'>;

/** The ids that a user namespace shows for podrun's own. Groups cannot be chosen there. */
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
  // The first group is the primary group, as in container runtimes.
  const groups = new Set([gid ?? powers.gid, ...(isStrictAboutGroups ? [] : known), ...asked]);
  return { uid, gid, groups: [...groups] };
}

/** The group of a user without runAsGroup. Source: containerd, pkg/oci/spec_opts.go WithUserID. */
function groupOf(uid: number, powers: Powers): number {
  return powers.account(uid)?.gid ?? 0;
}

/**
 * The capabilities of a process. As on a node, only root has effective capabilities, and the bounding set limits every
 * user. In the process tier, root without security settings keeps podrun's capabilities: such a container is a process
 * of the machine in every other respect.
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

/** True when a setuid program could regain capabilities that podrun had no right to drop for good. */
function canRegainCapabilities(wish: Wish, powers: Powers): boolean {
  return !wish.privileged && !powers.isInUserNamespace && !canDrop(powers) && dropsAll(wish.capabilities);
}
