/** What podrun can make of a container's security context here. */
export interface Powers {
  readonly tier: 'process' | 'namespace';
  /** Containers are in user namespaces: whatever users and groups they see, they are podrun's own to the machine. */
  readonly isInUserNamespace: boolean;
  readonly uid: number;
  readonly gid: number;
  /** All groups that podrun is in. */
  readonly groups: readonly number[];
  /** Those that podrun has in effect, as `capabilitiesOf` names them. */
  readonly capabilities: readonly string[];
  /** The program of util-linux that changes users and rights is there. */
  readonly hasSetpriv: boolean;
  /** Undefined: the machine, which is the image, does not know that user. */
  readonly account: (uid: number) => Account | undefined;
}

/** What is known of a user. */
export interface Account {
  readonly gid: number;
  /** Groups that it was put into, without its own. */
  readonly groups: readonly number[];
  readonly home: string;
}

/** Can processes be made other users' than podrun's own? */
export function canChangeUser({ isInUserNamespace, hasSetpriv, capabilities }: Powers): boolean {
  return !isInUserNamespace && hasSetpriv && capabilities.includes('setuid') && capabilities.includes('setgid');
}

/** Can capabilities be taken away for good? Not asked where nobody has any. */
export function canDrop({ hasSetpriv, capabilities }: Powers): boolean {
  return hasSetpriv && capabilities.includes('setpcap');
}
