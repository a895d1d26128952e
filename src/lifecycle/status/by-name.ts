import type { ContainerStatus } from '../../api/generated/types.ts';

/** The statuses of containers by their names, which are unique in a Pod. To look through all for each is quadratic. */
export function statusesByName(statuses: readonly ContainerStatus[]): ReadonlyMap<string, ContainerStatus> {
  return new Map(statuses.map((status) => [status.name, status]));
}
