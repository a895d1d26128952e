import { FIELD_BY_FIELD, is, noEffect, partly, refused, type SupportTable, type TypeRules } from './rule.ts';
import { unsafe, works } from './rule.ts';

const HOST_FILES = 'containers see the files of the host';
const HOST_RIGHTS = 'containers have the rights of podrun';
const OWN_IDENTITY = 'whoever runs podrun; a container that asks for somebody else does not start';

const isUnconfined = (profile: unknown): boolean =>
  typeof profile === 'object' && profile !== null && 'type' in profile && profile.type === 'Unconfined';

/** What the security contexts of Pods and of containers share. */
const SHARED: TypeRules = {
  seccompProfile: unsafe(HOST_RIGHTS, isUnconfined),
  appArmorProfile: unsafe(HOST_RIGHTS, isUnconfined),
  seLinuxOptions: noEffect(HOST_RIGHTS),
  windowsOptions: noEffect('this is no Windows node'),
  runAsUser: partly(OWN_IDENTITY),
  runAsGroup: partly(OWN_IDENTITY),
  ...works('runAsNonRoot'),
};

/** The security contexts of Pods and of containers. */
export const SECURITY_RULES: SupportTable = {
  PodSecurityContext: {
    ...SHARED,
    fsGroup: noEffect(HOST_FILES),
    fsGroupChangePolicy: noEffect(HOST_FILES),
    supplementalGroups: noEffect(HOST_RIGHTS),
    supplementalGroupsPolicy: noEffect(HOST_RIGHTS),
    seLinuxChangePolicy: noEffect(HOST_RIGHTS),
    sysctls: refused('kernel settings would change the host'),
  },
  SecurityContext: {
    ...SHARED,
    privileged: noEffect(HOST_RIGHTS, is(false)),
    capabilities: FIELD_BY_FIELD,
    allowPrivilegeEscalation: unsafe(HOST_RIGHTS, is(true)),
    readOnlyRootFilesystem: unsafe(HOST_FILES, is(false)),
    procMount: noEffect(HOST_FILES, is('Default')),
  },
  Capabilities: { add: noEffect(HOST_RIGHTS), drop: unsafe(HOST_RIGHTS) },
};
