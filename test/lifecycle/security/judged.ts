import type { PodSecurityContext, PodSpec, SecurityContext } from '../../../src/api/generated/types.ts';
import { capabilitiesOf } from '../../../src/lifecycle/security/capabilities.ts';
import { judgeSecurity, refusalOf } from '../../../src/lifecycle/security/judge-security.ts';
import type { OwnRights } from '../../../src/lifecycle/security/own-rights.ts';
import type { RunAs } from '../../../src/lifecycle/security/run-as.ts';
import { newPod } from '../../simulation/new-pod.ts';

const ALL = capabilitiesOf('000001ffffffffff');
/** The capabilities of a container on a node, without CAP_MKNOD. */
export const USUAL: readonly string[] = capabilitiesOf('00000000a00425fb');

export const ROOT: OwnRights = {
  tier: 'process',
  isInUserNamespace: false,
  uid: 0,
  gid: 0,
  groups: [0, 27],
  capabilities: ALL,
  hasSetpriv: true,
  canFilterCalls: true,
  account: (uid) => (uid === 70 ? { gid: 71, groups: [72, 73], home: '/var/lib/app' } : undefined),
};
export const USER: OwnRights = { ...ROOT, uid: 1000, gid: 1001, groups: [1001, 20], capabilities: [] };
export const NAMESPACES: OwnRights = { ...ROOT, tier: 'namespace' };
export const OWN_USERS: OwnRights = { ...USER, tier: 'namespace', isInUserNamespace: true };
export const NO_SETPRIV = { hasSetpriv: false };
export const NO_FILTERS = { canFilterCalls: false };

export interface SecuritySettings {
  readonly pod?: PodSecurityContext;
  readonly container?: SecurityContext;
  readonly spec?: Partial<PodSpec>;
}

interface Judged {
  readonly ids: Pick<RunAs, 'uid' | 'gid' | 'groups'> | undefined;
  readonly capabilities: readonly string[] | undefined;
  readonly noNewPrivileges: boolean | undefined;
  /** Stage and message of the refusal. */
  readonly why: (isBestEffort: boolean) => string | undefined;
  /** Path and note of each notice. */
  readonly notices: readonly string[];
}

export function judged(rights: OwnRights, { pod = {}, container = {}, spec = {} }: SecuritySettings): Judged {
  const main = { name: 'main', image: 'app', securityContext: container };
  const subject = newPod({ ...spec, securityContext: pod, containers: [main] });
  const verdict = judgeSecurity(subject.spec, main, rights);
  const why = (isBestEffort: boolean): string | undefined => {
    const refusal = refusalOf(subject, main, verdict, isBestEffort);
    return refusal && `${refusal.stage}: ${refusal.message}`;
  };
  const { uid, gid, groups, capabilities, noNewPrivileges } = verdict.identity ?? {};
  const notices = verdict.notices.map(({ path, note }) => `${path}: ${note}`);
  return { ids: verdict.identity && { uid, gid, groups }, capabilities, noNewPrivileges, why, notices };
}
