import type {
  AppArmorProfile,
  Capabilities,
  Container,
  PodSpec,
  SeccompProfile,
  SecurityContext,
} from '../../api/index.ts';

/** The merged security settings of a container and its Pod. Undefined fields are set by neither. */
export interface EffectiveSecurity {
  readonly runAsUser: number | undefined;
  readonly runAsGroup: number | undefined;
  readonly runAsNonRoot: boolean | undefined;
  readonly seccompProfile: SeccompProfile | undefined;
  readonly appArmorProfile: AppArmorProfile | undefined;
  readonly supplementalGroups: readonly number[];
  readonly isStrictAboutGroups: boolean;
  readonly fsGroup: number | undefined;
  readonly privileged: boolean;
  readonly capabilities: Capabilities;
  readonly noNewPrivileges: boolean;
  readonly readOnlyRootFilesystem: boolean;
  /** True with hostUsers: false, which gives the container its own users instead of the machine's. */
  readonly hasOwnUsers: boolean;
}

/** Fields that Pod and container both have. */
const SHARED = ['runAsUser', 'runAsGroup', 'runAsNonRoot', 'seccompProfile', 'appArmorProfile'] as const;

/**
 * The security context of a container. Its own fields override the Pod's fields one by one. Source:
 * pkg/securitycontext/util.go DetermineEffectiveSecurityContext, AddNoNewPrivileges.
 */
export function effectiveSecurity(spec: PodSpec, container: Pick<Container, 'securityContext'>): EffectiveSecurity {
  const ofPod = spec.securityContext ?? {};
  const own: SecurityContext = container.securityContext ?? {};
  const shared = <Name extends (typeof SHARED)[number]>(name: Name): SecurityContext[Name] => own[name] ?? ofPod[name];
  return {
    runAsUser: shared('runAsUser'),
    runAsGroup: shared('runAsGroup'),
    runAsNonRoot: shared('runAsNonRoot'),
    seccompProfile: shared('seccompProfile'),
    appArmorProfile: shared('appArmorProfile'),
    supplementalGroups: ofPod.supplementalGroups ?? [],
    isStrictAboutGroups: ofPod.supplementalGroupsPolicy === 'Strict',
    fsGroup: ofPod.fsGroup,
    privileged: own.privileged ?? false,
    capabilities: own.capabilities ?? {},
    noNewPrivileges: own.allowPrivilegeEscalation === false,
    readOnlyRootFilesystem: own.readOnlyRootFilesystem ?? false,
    hasOwnUsers: spec.hostUsers === false,
  };
}

/** The path of a field of the effective security context in the manifest. */
export function securityFieldPath(
  spec: PodSpec,
  container: Pick<Container, 'name' | 'securityContext'>,
  field: (typeof SHARED)[number] | OwnField,
): string {
  const isOwn = !isShared(field) || container.securityContext?.[field] !== undefined;
  return isOwn ? `${containerPath(spec, container.name)}.securityContext.${field}` : podSecurityFieldPath(field);
}

export function podSecurityFieldPath(field: string): string {
  return `spec.securityContext.${field}`;
}

type OwnField = 'privileged' | 'allowPrivilegeEscalation' | 'readOnlyRootFilesystem' | `capabilities.${'add' | 'drop'}`;

function isShared(field: string): field is (typeof SHARED)[number] {
  return SHARED.some((name) => name === field);
}

function containerPath(spec: PodSpec, name: string): string {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    const index = (spec[list] ?? []).findIndex((container) => container.name === name);
    if (index >= 0) return `spec.${list}[${index}]`;
  }
  return 'spec';
}
