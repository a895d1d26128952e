import { allContainers, type Container, type PodSpec, type StoredPod } from '../../api/index.ts';
import { breaksNonRoot, runsAsRoot } from '../texts/config-errors.ts';
import { IDS_OUT_OF_RANGE } from '../texts/image-errors.ts';
import {
  capabilitiesKept,
  capabilitiesMissing,
  capabilitiesUnknown,
  groupsMissing,
  otherIdentity,
  REMEDY,
  SECURITY_UNAVAILABLE,
  securityRefused,
} from '../texts/security.ts';
import { isAll, isCapability, unknownCapabilities, wantedCapabilities } from './capabilities.ts';
import {
  type EffectiveSecurity,
  effectiveSecurity,
  podSecurityFieldPath,
  securityFieldPath,
} from './effective-security.ts';
import { canChangeUser, canDrop, type OwnRights } from './own-rights.ts';
import { hasUsableIds, isOwn, type RunAs, runAs, seenGroup, seenUser } from './run-as.ts';

/** A security setting that podrun cannot give a container. */
export interface Complaint {
  /** The path of the field. */
  readonly path: string;
  readonly note: string;
  /** A way to get the setting, for the message of a refusal. */
  readonly remedy?: string | undefined;
}

/** The verdict on a container's security context. */
interface SecurityVerdict {
  /** Undefined: the container runs as podrun itself in every respect. */
  readonly identity: RunAs | undefined;
  /** The user that the container sees itself as. */
  readonly user: number;
  /** Settings without which the container must not start, since users would believe that they are safe. */
  readonly refusals: readonly Complaint[];
  /** Settings that the container gets only in part, or not at all. */
  readonly notices: readonly Complaint[];
}

/** The reason why a container is not created: a rule of the kubelet or a limit of this machine. */
export type SecurityRefusal =
  | { readonly stage: 'config'; readonly message: string }
  | { readonly stage: 'create'; readonly message: string };

export function judgeSecurity(spec: PodSpec, container: Container, rights: OwnRights): SecurityVerdict {
  const security = effectiveSecurity(spec, container);
  const identity = runAs(security, rights);
  const subject: JudgedContainer = { spec, container, security, rights, identity };
  return {
    identity: isOwn(identity) ? undefined : identity,
    user: seenUser(identity, rights),
    refusals: [...otherIds(subject), ...otherRefusals(subject)],
    notices: [...groupNotices(subject), ...capabilityNotices(subject), ...privilegeNotices(subject)],
  };
}

/**
 * The reason why the container must not start. Undefined: it may.
 * @param isBestEffort missing settings are left out. Refusals of the kubelet stay refusals.
 */
export function refusalOf(
  { metadata, spec }: StoredPod,
  container: Container,
  { identity, user, refusals }: SecurityVerdict,
  isBestEffort: boolean,
): SecurityRefusal | undefined {
  const { runAsNonRoot, runAsUser } = effectiveSecurity(spec, container);
  if (runAsNonRoot === true && runAsUser === 0) {
    return { stage: 'config', message: breaksNonRoot(metadata, container.name) };
  }
  if (identity !== undefined && !hasUsableIds(identity)) return { stage: 'create', message: IDS_OUT_OF_RANGE };
  if (refusals.length > 0 && !isBestEffort) return { stage: 'create', message: securityRefused(refusals) };
  if (runAsNonRoot === true && user === 0) return { stage: 'config', message: runsAsRoot(metadata, container.name) };
  return undefined;
}

interface JudgedContainer {
  readonly spec: PodSpec;
  readonly container: Container;
  readonly security: EffectiveSecurity;
  readonly rights: OwnRights;
  readonly identity: RunAs;
}

function otherIds({ spec, container, security, rights, identity }: JudgedContainer): Complaint[] {
  const why = whyNotOther(rights);
  const identities = [
    { field: 'runAsUser', word: 'user', own: rights.uid, got: seenUser(identity, rights) },
    { field: 'runAsGroup', word: 'group', own: rights.gid, got: seenGroup(identity, rights) },
  ] as const;
  return identities.flatMap(({ field, word, own, got }) => {
    const id = security[field];
    if (id === undefined || id === got) return [];
    const path = securityFieldPath(spec, container, field);
    return [
      {
        path,
        note: otherIdentity(word, { requested: id, own }, why),
        remedy: why === 'not root' ? REMEDY['root or namespaces'] : undefined,
      },
    ];
  });
}

function whyNotOther({ uid, hasSetpriv }: OwnRights): 'not root' | 'setpriv' | 'no rights' {
  if (uid !== 0) return 'not root';
  return hasSetpriv ? 'no rights' : 'setpriv';
}

function otherRefusals({ spec, container, security, rights }: JudgedContainer): Complaint[] {
  const complaints: Complaint[] = [];
  if (security.readOnlyRootFilesystem && rights.tier === 'process') {
    complaints.push({
      path: securityFieldPath(spec, container, 'readOnlyRootFilesystem'),
      note: SECURITY_UNAVAILABLE.readOnlyRoot,
      remedy: REMEDY.namespaces,
    });
  }
  if (security.appArmorProfile?.type === 'Localhost') {
    const path = securityFieldPath(spec, container, 'appArmorProfile');
    complaints.push({ path, note: SECURITY_UNAVAILABLE.localProfile });
  }
  if (security.hasOwnUsers && rights.uid === 0 && !rights.isInUserNamespace) {
    complaints.push({ path: 'spec.hostUsers', note: SECURITY_UNAVAILABLE.ownUsers, remedy: REMEDY.user });
  }
  return complaints;
}

/** The notices about groups. Without root, a process has podrun's groups. */
function groupNotices({ spec, security, rights, identity }: JudgedContainer): Complaint[] {
  if (canChangeUser(rights)) return [];
  const { supplementalGroups, isStrictAboutGroups, fsGroup } = security;
  const ownGroups = new Set([rights.gid, seenGroup(identity, rights), ...rights.groups]);
  const missing = supplementalGroups.filter((group) => !ownGroups.has(group));
  const complaints: Complaint[] = [];
  if (missing.length > 0) {
    complaints.push({ path: podSecurityFieldPath('supplementalGroups'), note: groupsMissing(missing) });
  }
  const wanted = new Set([rights.gid, ...supplementalGroups, ...(fsGroup === undefined ? [] : [fsGroup])]);
  if (isStrictAboutGroups && rights.groups.some((group) => !wanted.has(group))) {
    complaints.push({ path: podSecurityFieldPath('supplementalGroupsPolicy'), note: SECURITY_UNAVAILABLE.fewerGroups });
  }
  if (fsGroup !== undefined && volumeGroup(spec, rights) === undefined) {
    complaints.push({ path: podSecurityFieldPath('fsGroup'), note: SECURITY_UNAVAILABLE.fsGroup });
  }
  return complaints;
}

function capabilityNotices({ spec, container, security, rights, identity }: JudgedContainer): Complaint[] {
  const { add = [], drop = [] } = security.capabilities;
  if (security.privileged) return [];
  const about = (list: 'add' | 'drop', note: string): Complaint => {
    return { path: securityFieldPath(spec, container, `capabilities.${list}`), note };
  };
  const complaints = (['add', 'drop'] as const).flatMap((list) => {
    const unknown = unknownCapabilities(security.capabilities[list]);
    return unknown.length > 0 ? [about(list, capabilitiesUnknown(unknown))] : [];
  });
  const isRoot = seenUser(identity, rights) === 0;
  if (rights.isInUserNamespace) {
    if (isRoot && add.length > 0) complaints.push(about('add', SECURITY_UNAVAILABLE.rightsOfHost));
  } else if (rights.capabilities.length > 0 && drop.length > 0 && !canDrop(rights)) {
    complaints.push(about('drop', capabilitiesKept(drop)));
  }
  // On a node, too, added capabilities are not in effect for a user with a number other than 0.
  const mayUse = security.runAsUser === undefined || security.runAsUser === 0;
  if (!mayUse || !add.some((name) => isAll(name) || isCapability(name))) return complaints;
  if (!isRoot) return [...complaints, about('add', SECURITY_UNAVAILABLE.rightsOfRoot)];
  const added = wantedCapabilities({ drop: ['ALL'], add: add.filter((name) => !isAll(name)) });
  const missing = added.filter((name) => !rights.capabilities.includes(name));
  if (missing.length > 0 && !rights.isInUserNamespace) complaints.push(about('add', capabilitiesMissing(missing)));
  return complaints;
}

function privilegeNotices({ spec, container, security, rights }: JudgedContainer): Complaint[] {
  const complaints: Complaint[] = [];
  if (security.privileged && (rights.uid !== 0 || rights.isInUserNamespace)) {
    complaints.push({
      path: securityFieldPath(spec, container, 'privileged'),
      note: SECURITY_UNAVAILABLE.rightsOfRoot,
    });
  }
  if (security.noNewPrivileges && !rights.hasSetpriv) {
    complaints.push({
      path: securityFieldPath(spec, container, 'allowPrivilegeEscalation'),
      note: SECURITY_UNAVAILABLE.noNewPrivileges,
    });
  }
  const { type = 'Unconfined' } = security.seccompProfile ?? {};
  if (type !== 'Unconfined' && !security.privileged && !rights.canFilterCalls) {
    complaints.push({
      path: securityFieldPath(spec, container, 'seccompProfile'),
      note: SECURITY_UNAVAILABLE.filter,
    });
  }
  return complaints;
}

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
