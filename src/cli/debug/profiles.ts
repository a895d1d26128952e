import type { SecurityContext } from '../../api/index.ts';

/** A name for the rights of a container for debugging. */
export type DebugProfile = 'baseline' | 'general' | 'legacy' | 'netadmin' | 'restricted' | 'sysadmin';

export const DEBUG_PROFILES: readonly DebugProfile[] = [
  'legacy',
  'general',
  'baseline',
  'netadmin',
  'restricted',
  'sysadmin',
];

const SECURITY: Readonly<Record<DebugProfile, SecurityContext | undefined>> = {
  legacy: undefined,
  general: { capabilities: { add: ['SYS_PTRACE'] } },
  baseline: undefined,
  netadmin: { capabilities: { add: ['NET_ADMIN', 'NET_RAW'] } },
  restricted: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  },
  sysadmin: { privileged: true },
};

/**
 * The security context of a container for debugging. Undefined: it has none. Source: kubectl/pkg/cmd/debug/profiles.go.
 * @param isOfNode true: a Pod of its own debugs the node, which sees the processes there without a capability
 */
export function securityOf(profile: DebugProfile | undefined, isOfNode = false): SecurityContext | undefined {
  return profile === undefined || (isOfNode && profile === 'general') ? undefined : SECURITY[profile];
}

/** The profiles whose Pods for a node share its namespaces; further below, the ones with its files. */
const IN_NAMESPACES: ReadonlySet<DebugProfile> = new Set(['general', 'legacy', 'netadmin', 'sysadmin']);
const WITH_FILES: ReadonlySet<DebugProfile> = new Set(['general', 'legacy', 'sysadmin']);

/** The part of a Pod that debugs a node which its profile decides. */
export function nodeAccess(profile: DebugProfile): { readonly isShared: boolean; readonly seesFiles: boolean } {
  return { isShared: IN_NAMESPACES.has(profile), seesFiles: WITH_FILES.has(profile) };
}

/** The parts of a Pod that its copy may keep. */
export interface KeptParts {
  readonly labels: boolean;
  readonly annotations: boolean;
  readonly liveness: boolean;
  readonly readiness: boolean;
  readonly startup: boolean;
  readonly initContainers: boolean;
}

export const EVERY_PART: KeptParts = {
  labels: true,
  annotations: true,
  liveness: true,
  readiness: true,
  startup: true,
  initContainers: true,
};

/** The parts that a copy keeps. The old profile leaves out the labels alone, whatever the flags say. */
export function keptParts(profile: DebugProfile | undefined, wanted: KeptParts): KeptParts {
  return profile === 'legacy' ? { ...EVERY_PART, labels: false } : wanted;
}
