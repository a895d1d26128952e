import { CAPABILITIES, type Container, type StoredPod } from '../../api/index.ts';
import type { LayerKind } from '../base/image-types.ts';
import { effectiveSecurity } from '../security/effective-security.ts';
import { judgeSecurity, refusalOf, type SecurityRefusal } from '../security/judge-security.ts';
import type { Account, OwnRights } from '../security/own-rights.ts';
import { hasUsableIds, isUsableId, type RunAs } from '../security/run-as.ts';
import { cannotVerifyUser } from '../texts/config-errors.ts';
import { IDS_OUT_OF_RANGE, NO_USERS_FOUND, userOutOfRange } from '../texts/image-errors.ts';

/** A container that runs from an image, and what decides about its user. */
export interface ImageUserInput {
  readonly pod: StoredPod;
  readonly container: Container;
  /** The rights of podrun on this machine. */
  readonly rights: OwnRights;
  readonly owners: LayerKind;
  /** The USER of the image. */
  readonly user: string;
  /** The texts of /etc/passwd and /etc/group of the image. Empty: it has no such file. */
  readonly passwd: string;
  readonly group: string;
  readonly isBestEffort: boolean;
}

export type ImageIdentityOutcome =
  | { readonly ok: true; readonly identity: RunAs; readonly home: string }
  | ({ readonly ok: false } & SecurityRefusal);

/**
 * Decides as which user, and with which rights, a container of an image runs. `runAsUser` wins over the image's USER.
 * The group that USER names is dropped, as on a node: /etc/passwd decides the group, else it is 0. Only a number that
 * is no group is an error, as in container runtimes. Source: pkg/kubelet/kuberuntime/security_context.go, containerd
 * pkg/oci/spec_opts.go WithUserID, WithUsername.
 */
export function imageIdentity(input: ImageUserInput): ImageIdentityOutcome {
  const { pod, container, owners, isBestEffort, passwd, group } = input;
  const security = effectiveSecurity(pod.spec, container);
  const named = security.runAsUser ?? userOfImage(input.user);
  if (typeof named === 'string' && security.runAsNonRoot === true) {
    return { ok: false, stage: 'config', message: cannotVerifyUser(named, pod.metadata, container.name) };
  }
  const outOfRange = security.runAsUser === undefined ? whyOutOfRange(input.user) : undefined;
  if (outOfRange !== undefined) return { ok: false, stage: 'create', message: outOfRange };
  const account = findAccount(named, passwd, group);
  if (account === undefined && typeof named === 'string') {
    return { ok: false, stage: 'create', message: NO_USERS_FOUND };
  }
  const uid = typeof named === 'number' ? named : (account?.uid ?? 0);
  const gid = security.runAsGroup ?? account?.gid ?? 0;
  const rights = rightsInImage(input.rights, owners, account);
  const withUid = { ...container, securityContext: { ...container.securityContext, runAsUser: uid } };
  const verdict = judgeSecurity(pod.spec, withUid, rights);
  const refusal = refusalOf(pod, container, { ...verdict, user: uid }, isBestEffort);
  if (refusal !== undefined) return { ok: false, ...refusal };
  const { supplementalGroups, fsGroup, isStrictAboutGroups } = security;
  const known = isStrictAboutGroups ? [] : (account?.groups ?? []);
  const groups = new Set([gid, ...known, ...supplementalGroups, ...(fsGroup === undefined ? [] : [fsGroup])]);
  // The only user of a user namespace cannot choose its groups.
  const ids = { uid, gid, groups: owners === 'single' ? undefined : [...groups] };
  if (!hasUsableIds(ids)) return { ok: false, stage: 'create', message: IDS_OUT_OF_RANGE };
  return {
    ok: true,
    identity: {
      ...ids,
      capabilities: verdict.identity?.capabilities,
      noNewPrivileges: verdict.identity?.noNewPrivileges ?? false,
    },
    home: account?.home ?? '/',
  };
}

/** The user that an image names. As for a kubelet, a number of more than 64 bits is a name. */
function userOfImage(user: string): number | string {
  const [first = ''] = user.split(':');
  const id = idIn(first);
  return id !== undefined && Math.abs(id) < 2 ** 63 ? id : first || 0;
}

/** The error of a USER whose numbers are no ids. A number is never looked up as the name of a user or a group. */
function whyOutOfRange(user: string): string | undefined {
  const [first = '', group] = user.split(':');
  if (!isUsableId(idIn(first) ?? 0)) return userOutOfRange(first, 'uid');
  return isUsableId(idIn(group) ?? 0) ? undefined : userOutOfRange(user, 'gid');
}

/** The rights of podrun over the users of an image: all of them where its user has subordinate ids. */
function rightsInImage(rights: OwnRights, owners: LayerKind, account: ListedAccount | undefined): OwnRights {
  const imageRights = { ...rights, account: () => account };
  if (owners !== 'mapped') return imageRights;
  return { ...imageRights, isInUserNamespace: false, uid: 0, gid: 0, groups: [0], capabilities: CAPABILITIES };
}

/** An account with its user. The ids are as the files have them: `hasUsableIds` judges them. */
interface ListedAccount extends Account {
  readonly uid: number;
}

/**
 * Finds an account in the files of an image or of the machine. Source: containerd, pkg/oci/spec_opts.go WithUserID,
 * WithUsername, WithAdditionalGIDs; the first line that fits counts.
 * @param user a name or a number
 * @param passwd the text of /etc/passwd; empty: there is no such file
 * @param group the text of /etc/group
 */
export function findAccount(user: string | number, passwd: string, group: string): ListedAccount | undefined {
  const row = rowsOf(passwd).find(([name, , id]) => (typeof user === 'number' ? idIn(id) === user : name === user));
  const [name = '', , uid, gid, , home = ''] = row ?? [];
  const [uidNumber, gidNumber] = [idIn(uid), idIn(gid)];
  if (uidNumber === undefined || gidNumber === undefined) return undefined;
  const groups = rowsOf(group).flatMap(([, , id, members = '']) => {
    const number = idIn(id);
    return number !== undefined && members.split(',').includes(name) ? [number] : [];
  });
  return { uid: uidNumber, gid: gidNumber, groups, home: home || '/' };
}

/** The whole number that a text is, as Go's strconv.Atoi reads it, but of any size. Undefined: it is none. */
function idIn(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

function rowsOf(text: string): string[][] {
  return text.split('\n').map((line) => line.trim().split(':'));
}
