import type { Volume } from '../../../api/index.ts';
import {
  type AnyContainer,
  type SecurityCheck,
  findingOf,
  named,
  plural,
  quoted,
  securedContainers,
  type SecuredPod,
  setters,
  unique,
} from './findings.ts';

const CAPABILITIES: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

/** The sentence about containers that add a capability without permission. Empty: none does. */
function addedCapabilities(pod: SecuredPod, isAllowed: (name: string) => boolean): string {
  const addedBy = ({ securityContext }: AnyContainer): string[] =>
    (securityContext?.capabilities?.add ?? []).filter((name) => !isAllowed(name));
  const bad = securedContainers(pod).filter((container) => addedBy(container).length > 0);
  if (bad.length === 0) return '';
  const what = quoted(unique(bad.flatMap(addedBy)));
  return `${named(bad)} must not include ${what} in securityContext.capabilities.add`;
}

/** Capabilities that no runtime gives without being asked. */
export const capabilitiesBaseline: SecurityCheck = (pod) => {
  const detail = addedCapabilities(pod, (name) => CAPABILITIES.has(name));
  return detail === '' ? undefined : { reason: 'non-default capabilities', detail };
};

/** Capabilities that are not dropped. */
export const capabilitiesRestricted: SecurityCheck = (pod) => {
  const kept = securedContainers(pod).filter(
    ({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes('ALL'),
  );
  const missing = kept.length > 0 ? [`${named(kept)} must set securityContext.capabilities.drop=["ALL"]`] : [];
  const added = addedCapabilities(pod, (name) => name === 'NET_BIND_SERVICE');
  const details = [...missing, added].filter(Boolean);
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

/** Kernel parameters that v1.0 permits. */
export const SYSCTLS: readonly string[] = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ping_group_range',
  'net.ipv4.tcp_syncookies',
];
/** Kernel parameters that v1.27 permits. */
export const SYSCTLS_27: readonly string[] = [...SYSCTLS, 'net.ipv4.ip_local_reserved_ports'];
const KEEPALIVE = ['tcp_fin_timeout', 'tcp_keepalive_intvl', 'tcp_keepalive_probes', 'tcp_keepalive_time'];
/** Kernel parameters that v1.29 permits. */
export const SYSCTLS_29: readonly string[] = [...SYSCTLS_27, ...KEEPALIVE.map((name) => `net.ipv4.${name}`)];
/** Kernel parameters that v1.32 permits. */
export const SYSCTLS_32: readonly string[] = [...SYSCTLS_29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

/** Kernel parameters. @param allowed permitted ones */
export const sysctls =
  (allowed: readonly string[]): SecurityCheck =>
  ({ spec }) => {
    const names = (spec.securityContext?.sysctls ?? []).map(({ name }) => name);
    const bad = names.filter((name) => !allowed.includes(name));
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
  };

/** Processes that may gain rights. */
export const allowPrivilegeEscalation: SecurityCheck = (pod) => {
  const bad = securedContainers(pod).filter(
    ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false,
  );
  const detail = 'must set securityContext.allowPrivilegeEscalation=false';
  return findingOf('allowPrivilegeEscalation != false', setters(false, bad), detail);
};

const VOLUMES: ReadonlySet<string> = new Set([
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

/** Volumes of the node and of the network. */
export const restrictedVolumes: SecurityCheck = ({ spec }) => {
  const typesOf = (volume: Volume): string[] =>
    Object.entries(volume).flatMap(([key, value]) => (key === 'name' || !value ? [] : [key]));
  const bad = (spec.volumes ?? []).filter((volume) => !typesOf(volume).some((type) => VOLUMES.has(type)));
  if (bad.length === 0) return undefined;
  const types = unique(bad.flatMap((volume) => typesOf(volume)[0] ?? 'unknown'));
  const who = `${plural(bad.length, 'volume')} ${quoted(bad.map(({ name }) => name))}`;
  const use = bad.length === 1 ? 'uses' : 'use';
  const detail = `${who} ${use} ${plural(types.length, 'restricted volume type')} ${quoted(types)}`;
  return { reason: 'restricted volume types', detail };
};

/** Containers that may run as root. */
export const runAsNonRoot: SecurityCheck = (pod) => {
  const reason = 'runAsNonRoot != true';
  const own = pod.spec.securityContext?.runAsNonRoot;
  const containers = securedContainers(pod);
  const bad = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === false);
  const who = setters(own === false, bad);
  if (who !== '') return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  const open = containers.filter(({ securityContext }) => own !== true && securityContext?.runAsNonRoot === undefined);
  if (open.length === 0) return undefined;
  return { reason, detail: `pod or ${named(open)} must set securityContext.runAsNonRoot=true` };
};

/** Containers that run as root. */
export const runAsUser: SecurityCheck = (pod) => {
  const bad = securedContainers(pod).filter(({ securityContext }) => securityContext?.runAsUser === 0);
  const who = setters(pod.spec.securityContext?.runAsUser === 0, bad);
  return findingOf('runAsUser=0', who, 'must not set runAsUser=0');
};
