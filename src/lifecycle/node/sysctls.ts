import { dottedSysctl, type PodSpec, type Sysctl } from '../../api/index.ts';
import { type Rejection, sysctlForbidden } from '../texts/pod-reasons.ts';

/** The sysctls of an IPC namespace that a kubelet permits. Source: pkg/kubelet/sysctl/safe_sysctls.go. */
const MEMORY_SYSCTL = 'kernel.shm_rmid_forced';

/** The sysctls of a network namespace. */
const NETWORK_SYSCTLS: ReadonlySet<string> = new Set([
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
]);

/** The sysctls of a Pod by the namespace that has them. The kernel reads a line break as a blank. */
export interface PodSysctls {
  /** The value of kernel.shm_rmid_forced. Undefined: the machine's value. */
  readonly memory: string | undefined;
  /** The paths below /proc/sys, each with its value. */
  readonly network: ReadonlyArray<readonly [path: string, value: string]>;
}

/** The sysctls of a Pod that a kubelet permits. */
export function podSysctls({ securityContext }: PodSpec): PodSysctls {
  // The API server asks for no value.
  const sysctls: readonly Partial<Sysctl>[] = securityContext?.sysctls ?? [];
  const settings = sysctls.map(
    ({ name = '', value = '' }) => [dottedSysctl(name), value.replaceAll('\n', ' ')] as const,
  );
  return {
    memory: settings.find(([name]) => name === MEMORY_SYSCTL)?.[1],
    network: settings
      .filter(([name]) => NETWORK_SYSCTLS.has(name))
      .map(([name, value]) => [name.replaceAll('.', '/'), value] as const),
  };
}

/**
 * The kubelet's rejection of a Pod with a sysctl that could change the node. The API server has already refused sysctls
 * of namespaces that the Pod shares with the node. Source: pkg/kubelet/sysctl/allowlist.go Admit.
 */
export function sysctlRejection({ securityContext }: PodSpec): Rejection | undefined {
  const names = (securityContext?.sysctls ?? []).map(({ name }) => dottedSysctl(name));
  const unsafe = names.find((name) => name !== MEMORY_SYSCTL && !NETWORK_SYSCTLS.has(name));
  return unsafe === undefined ? undefined : sysctlForbidden(unsafe);
}
