import { readlinkSync } from 'node:fs';
import { release } from 'node:os';
import type { KernelSetting, MachineFinding } from '../../../machine/index.ts';
import { quietly, readQuietly, statQuietly } from '../../../quietly.ts';
import type { NamespaceDetection } from '../../base/features.ts';
import { bootId } from '../../watch/process-identity.ts';

/** The findings about namespaces, for `doctor`. */
export function namespaceFindings(detection: NamespaceDetection): MachineFinding[] {
  if (!detection.ok) return [{ feature: 'namespaces', verdict: 'no', how: 'none', why: detection.why }];
  const { facts, gaps } = detection;
  const { ownProc, diskLayers, tmpfsLayers } = gaps;
  return [
    { feature: 'namespaces', verdict: 'yes', how: facts.mode },
    ownProc === undefined
      ? { feature: 'ownProc', verdict: 'yes', how: 'own' }
      : { feature: 'ownProc', verdict: 'no', how: 'host', why: ownProc },
    layerFinding(facts.layers, tmpfsLayers ?? diskLayers),
  ];
}

function layerFinding(layers: 'disk' | 'tmpfs' | undefined, why: MachineFinding['why']): MachineFinding {
  const verdict = ({ disk: 'yes', tmpfs: 'partly', none: 'no' } as const)[layers ?? 'none'];
  return { feature: 'layers', verdict, how: layers ?? 'none', ...(why && { why }) };
}

/** The distribution and its parents. Empty: unknown. @see os-release(5) */
export function distributions(): string[] {
  const text = readQuietly('/etc/os-release');
  const valueOf = (name: string): string => new RegExp(`^${name}="?([^"\n]*)`, 'm').exec(text)?.[1] ?? '';
  return `${valueOf('ID')} ${valueOf('ID_LIKE')}`.split(' ').filter((word) => word !== '');
}

// The number in capability.h.
const CAP_SYS_ADMIN = 21n;

/** podrun's rights, as far as they can be read without a trial. */
export interface Privileges {
  readonly userId: number;
  /** True for user 0 with CAP_SYS_ADMIN, which root of a default container lacks. */
  readonly isPrivileged: boolean;
  readonly hasSeccompFilter: boolean;
  /** The settings that stop ordinary users. */
  readonly obstructive: readonly { readonly setting: KernelSetting; readonly value: string }[];
  /** All of these and the boot id: the cached result is valid while it stays the same. */
  readonly mark: string;
}

/** The value of each setting that forbids namespaces. */
const FORBIDDING: Readonly<Record<KernelSetting, string>> = {
  'kernel.apparmor_restrict_unprivileged_userns': '1',
  'kernel.unprivileged_userns_clone': '0',
  'user.max_user_namespaces': '0',
};

/** Reads podrun's rights on this machine (0.2 ms). */
export function readPrivileges(): Privileges {
  const userId = process.geteuid?.() ?? 0;
  const status = readQuietly('/proc/self/status');
  const field = (name: string): string => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1] ?? '';
  const [capabilities, seccomp] = [field('CapEff'), field('Seccomp')];
  const settings = Object.entries(FORBIDDING).map(([name, forbidding]) => {
    const value = readQuietly(`/proc/sys/${name.replaceAll('.', '/')}`).trim();
    return { setting: name as KernelSetting, value, isObstructive: value === forbidding };
  });
  const mark = [
    bootId(),
    release(),
    userId,
    capabilities,
    seccomp,
    field('NoNewPrivs'),
    namespaceOf('user'),
    namespaceOf('mnt'),
    settings.map(({ value }) => value),
    // A new AppArmor profile may permit more.
    statQuietly('/etc/apparmor.d')?.mtimeMs,
  ].join(' ');
  return {
    userId,
    isPrivileged: userId === 0 && ((BigInt(`0x${capabilities || '0'}`) >> CAP_SYS_ADMIN) & 1n) === 1n,
    hasSeccompFilter: seccomp === '2',
    obstructive: settings.flatMap(({ setting, value, isObstructive }) => (isObstructive ? [{ setting, value }] : [])),
    mark,
  };
}

function namespaceOf(kind: string): string {
  return quietly(() => readlinkSync(`/proc/self/ns/${kind}`)) ?? '-';
}
