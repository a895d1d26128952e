import type { GroupPriority } from '../resources/group-priorities.ts';

/** A version of a group, and its place in discovery. */
export interface RankedVersion {
  readonly group: string;
  readonly version: string;
  readonly priority: GroupPriority;
}

/**
 * The groups with their versions, the preferred ones first: by the highest priority of a version, then by name.
 * Source: kube-aggregator/pkg/apis/apiregistration/v1/helper.
 */
export function groupsInOrder<T extends RankedVersion>(
  versions: readonly T[],
): { readonly name: string; readonly versions: readonly T[] }[] {
  const names = [...new Set(versions.map(({ group }) => group))];
  const groups = names.map((name) => {
    const own = versions.filter(({ group }) => group === name);
    return { name, highest: Math.max(...own.map(({ priority }) => priority.group)), versions: own };
  });
  return groups
    .toSorted((one, other) => other.highest - one.highest || (one.name < other.name ? -1 : 1))
    .map(({ name, versions: own }) => ({ name, versions: own.toSorted(compareRanked) }));
}

function compareRanked(one: RankedVersion, other: RankedVersion): number {
  return other.priority.version - one.priority.version || compareVersions(one.version, other.version);
}

/** `v2`, `v1`, `v1beta2`, `v1alpha1`, then all other versions by name. Source: apimachinery/pkg/version/helpers.go. */
function compareVersions(one: string, other: string): number {
  const rankOf = (text: string): readonly number[] => {
    const [, major = '', stage, minor = '0'] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(text) ?? [];
    if (major === '') return [3, 0, 0];
    return [stage === undefined ? 0 : stage === 'beta' ? 1 : 2, -Number(major), -Number(minor)];
  };
  const [a, b] = [rankOf(one), rankOf(other)];
  const differs = a.findIndex((rank, index) => rank !== b[index]);
  return differs < 0 ? (one < other ? -1 : 1) : (a[differs] ?? 0) - (b[differs] ?? 0);
}
