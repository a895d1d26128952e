import { CAPABILITIES } from '../../api/index.ts';

/**
 * The default capabilities of a container, without `mknod`. On a node, the device cgroup keeps such devices from
 * working. podrun shares folders with the machine, whose programs could use the devices.
 * Source: containerd, pkg/oci/spec.go defaultUnixCaps.
 */
const DEFAULT_CAPABILITIES: readonly string[] = [
  'audit_write',
  'chown',
  'dac_override',
  'fowner',
  'fsetid',
  'kill',
  'net_bind_service',
  'net_raw',
  'setfcap',
  'setgid',
  'setpcap',
  'setuid',
  'sys_chroot',
];

/** The capabilities of a container as its manifest lists them. */
export interface RequestedCapabilities {
  readonly add?: readonly string[] | undefined;
  readonly drop?: readonly string[] | undefined;
}

/**
 * The capabilities of a container, without `CAP_`, in lower case. ALL applies first, so that single capabilities can
 * override it. Source: containerd, internal/cri/opts/spec_linux_opts.go WithCapabilities.
 */
export function wantedCapabilities({ add = [], drop = [] }: RequestedCapabilities): string[] {
  const wanted = new Set(add.some(isAll) ? CAPABILITIES : DEFAULT_CAPABILITIES);
  if (drop.some(isAll)) wanted.clear();
  for (const name of add) if (isCapability(name)) wanted.add(name.toLowerCase());
  for (const name of drop) wanted.delete(name.toLowerCase());
  return CAPABILITIES.filter((name) => wanted.has(name));
}

/** True for ALL, in upper or lower case. Source: containerd, internal/cri/util/strings.go InStringSlice. */
export function isAll(name: string): boolean {
  return name.toUpperCase() === 'ALL';
}

/**
 * True for a known capability. Manifests write capabilities without `CAP_`: container runtimes do not know other forms.
 */
export function isCapability(name: string): boolean {
  return CAPABILITIES.includes(name.toLowerCase());
}

/** The names that are neither ALL nor a capability. Container runtimes ignore them. */
export function unknownCapabilities(names: readonly string[] = []): string[] {
  return names.filter((name) => !isAll(name) && !isCapability(name));
}

export function dropsAll({ add = [], drop = [] }: RequestedCapabilities): boolean {
  return drop.some(isAll) && add.length === 0;
}

/** The capabilities of a hexadecimal mask, as in /proc/PID/status. */
export function capabilitiesOf(mask: string): string[] {
  const bits = BigInt(`0x${mask}`);
  return CAPABILITIES.filter((_, number) => (bits >> BigInt(number)) % 2n === 1n);
}
