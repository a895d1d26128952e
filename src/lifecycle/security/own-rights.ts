/** The rights of podrun on this machine, which decide what security settings containers can have. */
export interface OwnRights {
  readonly tier: 'process' | 'namespace';
  /** True: containers have user namespaces. To the machine, all their users and groups are podrun's own. */
  readonly isInUserNamespace: boolean;
  readonly uid: number;
  readonly gid: number;
  /** All groups of podrun. */
  readonly groups: readonly number[];
  /** The effective capabilities of podrun, named as by `capabilitiesOf`. */
  readonly capabilities: readonly string[];
  /** True when the program setpriv of util-linux, which changes users and rights, is installed. */
  readonly hasSetpriv: boolean;
  /** True when podrun can load filters of system calls into its own containers. */
  readonly canFilterCalls: boolean;
  /** The account of a user. Undefined: the machine, which is the image, does not know the user. */
  readonly account: (uid: number) => Account | undefined;
}

/** The account of a user. */
export interface Account {
  readonly gid: number;
  /** The supplementary groups, without the user's own group. */
  readonly groups: readonly number[];
  readonly home: string;
}

/** True when podrun can start processes of other users. */
export function canChangeUser({ isInUserNamespace, hasSetpriv, capabilities }: OwnRights): boolean {
  return !isInUserNamespace && hasSetpriv && capabilities.includes('setuid') && capabilities.includes('setgid');
}

/** True when podrun can drop capabilities for good. Only asked where podrun has capabilities. */
export function canDrop({ hasSetpriv, capabilities }: OwnRights): boolean {
  return hasSetpriv && capabilities.includes('setpcap');
}
