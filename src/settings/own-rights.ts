import { readQuietly } from '../quietly.ts';
import { capabilitiesOf, findAccount, type OwnRights } from '../lifecycle/index.ts';
import { canFilterCalls, findSetpriv, type RuntimeFeatures } from '../runtime/index.ts';

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
    // Looked up for a container with a profile only.
    get canFilterCalls(): boolean {
      return canFilterCalls();
    },
    // The users and groups of the machine, in place of the image's.
    account: (uid) => findAccount(uid, readQuietly('/etc/passwd'), readQuietly('/etc/group')),
  };
}

function capabilitiesInEffect(): string[] {
  const mask = /^CapEff:\s*([0-9a-f]+)/m.exec(readQuietly('/proc/self/status'))?.[1];
  return mask === undefined ? [] : capabilitiesOf(mask);
}
