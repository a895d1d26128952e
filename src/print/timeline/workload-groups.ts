/** Runs of Pods of one workload; or one run of a Pod that no workload made. */
export interface WorkloadGroup<T> {
  readonly workload: string | undefined;
  readonly members: readonly T[];
}

/** Groups runs by their workloads. The groups have the order of their first members. */
export function workloadGroups<T extends { readonly workload?: string | undefined }>(
  runs: readonly T[],
): WorkloadGroup<T>[] {
  const groups = new Map<string | T, T[]>();
  for (const run of runs) {
    const key = run.workload ?? run;
    groups.set(key, [...(groups.get(key) ?? []), run]);
  }
  return [...groups.values()].map((members) => ({ workload: members[0]?.workload, members }));
}
