/*
 * Profiles for filters of system calls, as files for container engines have them. Source: opencontainers/runtime-spec,
 * config-linux.md (seccomp); moby, profiles/seccomp (includes, excludes, archMap).
 */

import type { SeccompAction, SeccompFilter, SeccompRule } from '../../base/seccomp.ts';

/** The conditions of a rule about the container and the machine. */
interface SeccompConditions {
  /** Names with CAP_. */
  readonly caps?: readonly string[];
  /** Names of machines as the kernel and Go have them: `amd64`, `arm64`. */
  readonly arches?: readonly string[];
  /** `major.minor`. */
  readonly minKernel?: string;
}

/** A rule of a profile, which holds on some machines and for some containers only. */
export interface ProfileRule extends Omit<SeccompRule, 'names'> {
  readonly names?: readonly string[];
  /** The old form of `names`. */
  readonly name?: string;
  readonly includes?: SeccompConditions;
  readonly excludes?: SeccompConditions;
}

/** A profile for containers with any capabilities. */
export interface SeccompProfile {
  readonly defaultAction: SeccompAction;
  readonly defaultErrnoRet?: number;
  readonly architectures?: readonly string[];
  readonly archMap?: readonly { readonly architecture: string; readonly subArchitectures?: readonly string[] }[];
  readonly flags?: readonly string[];
  readonly syscalls?: readonly ProfileRule[];
}

/** The container and the machine for which a profile becomes a filter. */
export interface FilteredPlace {
  /** The capabilities of the container, without CAP_, in lower case. */
  readonly capabilities: readonly string[];
  /** The architecture as Node names it. */
  readonly machine: string;
  /** The release of the kernel. */
  readonly kernel: string;
}

const MACHINES: Readonly<Record<string, { readonly word: string; readonly architecture: string }>> = {
  x64: { word: 'amd64', architecture: 'SCMP_ARCH_X86_64' },
  arm64: { word: 'arm64', architecture: 'SCMP_ARCH_AARCH64' },
};

/** The filter that a profile is in one place: its rules for other containers and machines are left out. */
export function resolveProfile(profile: SeccompProfile, place: FilteredPlace): SeccompFilter {
  const { defaultAction, defaultErrnoRet, flags, syscalls = [] } = profile;
  return {
    defaultAction,
    ...(defaultErrnoRet !== undefined && { defaultErrnoRet }),
    architectures: architecturesOf(profile, place.machine),
    ...(flags && { flags }),
    syscalls: syscalls.filter((rule) => holds(rule, place)).map(asRule),
  };
}

function architecturesOf({ architectures, archMap = [] }: SeccompProfile, machine: string): readonly string[] {
  if (architectures !== undefined && architectures.length > 0) return architectures;
  const { architecture = '' } = MACHINES[machine] ?? {};
  const mapped = archMap.find((entry) => entry.architecture === architecture);
  return architecture === '' ? [] : [architecture, ...(mapped?.subArchitectures ?? [])];
}

function asRule({ names = [], name, action, errnoRet, args }: ProfileRule): SeccompRule {
  const all = name === undefined ? names : [...names, name];
  return { names: all, action, ...(errnoRet !== undefined && { errnoRet }), ...(args && { args }) };
}

/** Source: moby, profiles/seccomp/seccomp_linux.go setupSeccomp: all that it includes, none that it excludes. */
function holds({ includes = {}, excludes = {} }: ProfileRule, place: FilteredPlace): boolean {
  const { word } = MACHINES[place.machine] ?? { word: place.machine };
  const hasCapability = (name: string): boolean =>
    place.capabilities.includes(name.replace(/^CAP_/i, '').toLowerCase());
  if (includes.caps?.every(hasCapability) === false || excludes.caps?.some(hasCapability) === true) return false;
  if (!isEmpty(includes.arches) && includes.arches?.includes(word) !== true) return false;
  if (excludes.arches?.includes(word) === true) return false;
  if (includes.minKernel !== undefined && !isAtLeast(place.kernel, includes.minKernel)) return false;
  return excludes.minKernel === undefined || !isAtLeast(place.kernel, excludes.minKernel);
}

function isEmpty(list: readonly string[] | undefined): boolean {
  return list === undefined || list.length === 0;
}

function isAtLeast(kernel: string, least: string): boolean {
  const [major = 0, minor = 0] = kernel.split(/[.-]/).map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
