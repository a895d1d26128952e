import { dottedSysctl, type Sysctl } from '../../api/index.ts';
import {
  FIELD_BY_FIELD,
  type FieldRule,
  is,
  type Isolation,
  needs,
  needsOciRuntime,
  noEffect,
  partly,
} from './rule.ts';
import { type SupportTable, type TypeRules, unsafe, works } from './rule.ts';

const NO_LABELS = 'containers have the label of podrun';
const IDENTITY = 'as root, and as what the container sees in the namespace tier; else it does not start';
const GROUPS = 'as root; others have the groups of podrun, and an event says so';
const CAPABILITIES = 'those that podrun has; in the user namespace of an ordinary user they hold there only';
const PROFILE = partly('a container that names one does not start');

/** The rule for the type of a profile, which nothing applies. A container with a local profile does not start. */
const profileType = (note: string): FieldRule => unsafe(note, is('Unconfined', 'Localhost'));

/** True where the namespaces of all sysctls are the Pod's. With one that a kubelet does not permit, it does not run. */
function sysctlsWork(value: unknown, { hasNamespaces = false, hasPodNetwork = false }: Isolation): boolean {
  const sysctls = Array.isArray(value) ? (value as Partial<Sysctl>[]) : [];
  const names = sysctls.map(({ name = '' }) => dottedSysctl(name));
  return names.every((name) =>
    name.startsWith('net.') ? hasPodNetwork : hasNamespaces || !name.startsWith('kernel.shm'),
  );
}

/** The rules that the security contexts of Pods and of containers share. */
const SHARED: TypeRules = {
  seccompProfile: FIELD_BY_FIELD,
  appArmorProfile: FIELD_BY_FIELD,
  seLinuxOptions: noEffect(NO_LABELS),
  windowsOptions: noEffect('this is no Windows node'),
  runAsUser: partly(IDENTITY),
  runAsGroup: partly(IDENTITY),
  ...works('runAsNonRoot'),
};

/** The rules of security contexts. Events report the effects that depend on the machine. */
export const SECURITY_RULES: SupportTable = {
  PodSecurityContext: {
    ...SHARED,
    fsGroup: partly('as root; others give volumes to groups that they are in, and an event says so'),
    ...works('fsGroupChangePolicy'),
    supplementalGroups: partly(GROUPS),
    supplementalGroupsPolicy: partly(GROUPS),
    seLinuxChangePolicy: noEffect(NO_LABELS),
    sysctls: needs(
      noEffect(
        'kernel.shm_rmid_forced takes namespaces, those of net.* --network cluster or pod; a kubelet permits no others',
      ),
      sysctlsWork,
    ),
  },
  SecurityContext: {
    ...SHARED,
    privileged: partly('all capabilities that podrun has; an event says so where it is not root'),
    capabilities: FIELD_BY_FIELD,
    allowPrivilegeEscalation: partly('where setpriv of util-linux is installed; else an event says so'),
    readOnlyRootFilesystem: partly('in the namespace tier; else the container does not start'),
    procMount: partly('in the namespace tier as on a node; else /proc is never masked'),
  },
  Capabilities: { add: partly(CAPABILITIES), drop: partly('as root; other users have no capabilities') },
  SeccompProfile: {
    type: needsOciRuntime(profileType('containers may make all system calls')),
    localhostProfile: PROFILE,
  },
  AppArmorProfile: { type: profileType('containers have the profile of podrun'), localhostProfile: PROFILE },
};
