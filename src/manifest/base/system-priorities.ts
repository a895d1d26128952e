/** The classes that every cluster has. Source: pkg/apis/scheduling/v1/helpers.go. */
export const SYSTEM_PRIORITIES: ReadonlyMap<string, number> = new Map([
  ['system-node-critical', 2_000_001_000],
  ['system-cluster-critical', 2_000_000_000],
]);
