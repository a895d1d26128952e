import type { ContainerStatus } from '../../api/index.ts';

/** The statuses of containers by name. Names are unique in a Pod. A search per container would be quadratic. */
export function statusesByName(statuses: readonly ContainerStatus[]): ReadonlyMap<string, ContainerStatus> {
  return new Map(statuses.map((status) => [status.name, status]));
}
