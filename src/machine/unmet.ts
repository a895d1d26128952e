import { allContainers, type PodSpec } from '../api/index.ts';
import type { KernelSetting, Obstacle } from './abilities.ts';

/** Fields that need namespaces, each with a test for Pods that use it. */
const NEEDING: ReadonlyArray<readonly [field: string, isUsedBy: (pod: { readonly spec: PodSpec }) => boolean]> = [
  ['mountPath', ({ spec }) => allContainers(spec).some(({ volumeMounts = [] }) => volumeMounts.length > 0)],
  ['hostname', ({ spec }) => spec.hostname !== undefined || spec.subdomain !== undefined],
  ['hostAliases', ({ spec }) => (spec.hostAliases ?? []).length > 0],
  ['shareProcessNamespace', ({ spec }) => spec.shareProcessNamespace === true],
];

/** The missing ability of the machine that these Pods need, in one line. Undefined when they do not need it. */
export function unmetText(
  { of, why }: { readonly of: 'namespaces' | 'layers'; readonly why: Obstacle },
  pods: ReadonlyArray<{ readonly spec: PodSpec }>,
): string | undefined {
  const reason = obstacleText(why);
  if (of === 'layers') return `runtime: namespace; the root of containers is read-only (${reason}). See podrun doctor`;
  const fields = NEEDING.filter(([, isUsedBy]) => pods.some(isUsedBy)).map(([field]) => field);
  if (fields.length === 0) return undefined;

  const list = fields.length < 2 ? fields.join('') : `${fields.slice(0, -1).join(', ')} and ${fields.at(-1)}`;
  return `runtime: process (${reason}); without effect, or with less effect than on a node: ${list}. See podrun doctor`;
}

const SETTINGS: Readonly<Record<KernelSetting, string>> = {
  'kernel.apparmor_restrict_unprivileged_userns': 'user namespaces are restricted by AppArmor',
  'kernel.unprivileged_userns_clone': 'ordinary users may not create user namespaces',
  'user.max_user_namespaces': 'the kernel permits no user namespaces',
};

const PLATFORMS: Readonly<Record<string, string>> = { darwin: 'macOS', linux: 'Linux', win32: 'Windows' };

/** The reason why a feature is missing, as a phrase after a colon. */
export function obstacleText(obstacle: Obstacle): string {
  switch (obstacle.type) {
    case 'platform':
      return `not available on ${PLATFORMS[obstacle.platform] ?? obstacle.platform}`;
    case 'missingPrograms':
      return `${named(obstacle.programs)} not installed`;
    case 'busybox':
      return `${named(obstacle.programs)} of busybox, which lacks options that util-linux has`;
    case 'outdated':
      return `${obstacle.program} is too old (${obstacle.said})`;
    case 'setting':
      return `${SETTINGS[obstacle.setting]}: ${obstacle.setting}=${obstacle.value}`;
    case 'refused': {
      const confined = obstacle.confinedBy.map((by) => CONFINED[by]);
      const suspicion = confined.length === 0 ? '' : `, as podrun itself runs ${confined.join(' and ')}`;
      return `podrun may not ${obstacle.doing} (${obstacle.said})${suspicion}`;
    }
    case 'timeout':
      return `the attempt to ${obstacle.doing} took longer than ${obstacle.afterMs / 1000} s`;
    case 'missingPackage':
      return `the package ${obstacle.name} is not installed`;
    case 'notRoot':
      return 'podrun does not run as root';
    case 'missingCapabilities':
      return `podrun lacks the capabilities ${obstacle.capabilities.join(', ')}`;
    case 'noCgroup':
      return obstacle.said;
    case 'noSubordinateIds':
      return `${obstacle.user} has no range of subordinate ids to use (${obstacle.said})`;
    case 'noMemory':
      return `none of ${obstacle.places.join(', ')} is a tmpfs that podrun may write to`;
    case 'folder':
      return `${obstacle.path} cannot be written to: ${obstacle.said}`;
    default:
      return obstacle satisfies never;
  }
}

const CONFINED = {
  capabilities: 'without the capability CAP_SYS_ADMIN',
  seccomp: 'under a seccomp filter',
} as const;

function named(programs: readonly string[]): string {
  const last = programs.at(-1) ?? '';
  const subject = programs.length < 2 ? last : `${programs.slice(0, -1).join(', ')} and ${last}`;
  return `${subject} ${programs.length < 2 ? 'is' : 'are'}`;
}
