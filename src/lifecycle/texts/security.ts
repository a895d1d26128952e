// The reasons why a container does not get its security settings. All are podrun's own. Each ends a sentence that
// begins with the path of the field.

const IN_NAMESPACES = '--runtime namespace, where this machine permits it (see podrun doctor)';

/** podrun's own: ways to get a refused setting. */
export const REMEDY: Readonly<Record<'namespaces' | 'root or namespaces' | 'user', string>> = {
  namespaces: `take ${IN_NAMESPACES}`,
  'root or namespaces': `run podrun as root, or with ${IN_NAMESPACES}`,
  user: 'run podrun as an ordinary user',
};

interface NotHad {
  readonly path: string;
  readonly note: string;
  readonly remedy?: string | undefined;
}

/** The message of CreateContainerError, podrun's own: podrun leaves out no protection without the user's consent. */
export function securityRefused(complaints: readonly NotHad[]): string {
  const ways = new Set(complaints.flatMap(({ remedy }) => remedy ?? []));
  return [
    complaints.map(({ path, note }) => `${path}: ${note}`).join('; '),
    ...[...ways].map((way) => way.charAt(0).toUpperCase() + way.slice(1)),
    '--best-effort starts the container anyway',
  ].join('. ');
}

const WHY_NOT_OTHER: Readonly<Record<'setpriv' | 'not root' | 'no rights', string>> = {
  setpriv: 'there is no setpriv of util-linux to change that',
  'not root': 'only root can change that',
  'no rights': 'lacks CAP_SETUID and CAP_SETGID to change that',
};

/** podrun's own. @param why the reason why podrun cannot change the id */
export function otherIdentity(
  word: 'user' | 'group',
  { requested, own }: { readonly requested: number; readonly own: number },
  why: keyof typeof WHY_NOT_OTHER,
): string {
  return `not ${requested}: podrun is ${word} ${own}, and ${WHY_NOT_OTHER[why]}`;
}

type UnavailableSecurity =
  | 'readOnlyRoot'
  | 'filter'
  | 'localProfile'
  | 'ownUsers'
  | 'noNewPrivileges'
  | 'rightsOfRoot'
  | 'rightsOfHost'
  | 'fewerGroups'
  | 'fsGroup';

/** podrun's own. */
export const SECURITY_UNAVAILABLE: Readonly<Record<UnavailableSecurity, string>> = {
  readOnlyRoot: 'the container has no file system of its own',
  filter: 'nothing loads filters of system calls here: that needs perl, on x86-64 or arm64. All calls are permitted',
  localProfile: 'podrun cannot load profiles',
  ownUsers: 'podrun is root: users of the container are users of the machine',
  noNewPrivileges: 'this needs setpriv of util-linux, which is missing',
  rightsOfRoot: 'podrun is not root: the container has no more rights than podrun',
  rightsOfHost: 'only effective in its own user namespace: no rights over the machine',
  fewerGroups: 'podrun is not root: the container keeps all groups of podrun',
  fsGroup: 'podrun is not root and not in this group: files of volumes keep their own',
};

/**
 * The reason why a container with a seccomp profile of its node is not created.
 * Source: containerd, contrib/seccomp/seccomp.go WithProfile.
 * @param why the reason, as Go words it
 */
export function profileUnreadable(file: string, why: string): string {
  return `failed to create containerd container: cannot load seccomp profile "${file}": ${why}`;
}

/** podrun's own. */
export function capabilitiesMissing(names: readonly string[]): string {
  return `podrun does not have ${names.map((name) => name.toUpperCase()).join(', ')} itself`;
}

/** podrun's own. */
export function capabilitiesKept(names: readonly string[]): string {
  return `podrun cannot take ${names.join(', ')} away: that needs setpriv of util-linux and CAP_SETPCAP`;
}

/** podrun's own. */
export function capabilitiesUnknown(names: readonly string[]): string {
  return `Linux has no capability ${names.join(', ')}: a node ignores it, too. Omit CAP_`;
}

/** podrun's own. */
export function groupsMissing(groups: readonly number[]): string {
  return `podrun is not root and not in group ${groups.join(', ')}: neither is the container`;
}

/** podrun's own. @param folder of the volume @param user the uid of the container */
export function volumeOutOfReach(folder: string, user: number): string {
  return `is in ${folder}, which user ${user} cannot access`;
}

/** The reason in the event TerminationLogNotAtPath, podrun's own. */
export const TERMINATION_LOG_OUT_OF_REACH =
  'the termination log is in a folder of podrun, which the user of the container cannot access';
