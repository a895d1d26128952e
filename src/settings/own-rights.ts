import { readQuietly } from '../quietly.ts';
import { type Account, capabilitiesOf, findAccount, type OwnRights } from '../lifecycle/index.ts';
import { findSetpriv, type RuntimeFeatures } from '../runtime/index.ts';

/** The files that list the users and groups of the machine, in place of the image's files. */
export interface AccountFiles {
  readonly passwd: string;
  readonly group: string;
}

const ACCOUNT_FILES: AccountFiles = { passwd: '/etc/passwd', group: '/etc/group' };

/**
 * The rights of this process.
 * @param features undefined: plain processes only
 */
export function readOwnRights(features: RuntimeFeatures | undefined): OwnRights {
  const gid = process.getgid?.() ?? 0;
  return {
    tier: features?.tier ?? 'process',
    isInUserNamespace: features?.namespaces?.mode === 'user',
    uid: process.getuid?.() ?? 0,
    gid,
    groups: process.getgroups?.() ?? [gid],
    capabilities: capabilitiesInEffect(),
    hasSetpriv: features?.namespaces !== undefined || findSetpriv() !== undefined,
    account: (uid) => readAccount(uid, ACCOUNT_FILES),
  };
}

function capabilitiesInEffect(): string[] {
  const mask = /^CapEff:\s*([0-9a-f]+)/m.exec(readQuietly('/proc/self/status'))?.[1];
  return mask === undefined ? [] : capabilitiesOf(mask);
}

/** The groups and the home of a user, by the files of the machine. */
export function readAccount(uid: number, { passwd, group }: AccountFiles): Account | undefined {
  return findAccount(uid, readQuietly(passwd), readQuietly(group));
}
