import { type Container, type ContainerStatus, isSidecar, type StoredPod } from '../../api/index.ts';

/** A container of a Pod with its status and its role in the Pod. */
export interface PodContainer {
  readonly container: Container;
  readonly status: ContainerStatus | undefined;
  readonly role: 'init' | 'sidecar' | 'regular' | 'ephemeral';
  /** The number in its list, from 1, and the length of the list. */
  readonly position: number;
  readonly total: number;
}

/** The statuses of containers. */
interface PodStatuses {
  readonly status: Pick<
    StoredPod['status'],
    'initContainerStatuses' | 'containerStatuses' | 'ephemeralContainerStatuses'
  >;
}

/** All containers in the order of starting: init containers and sidecars, regular ones, ephemeral ones. */
export function containersOf({ spec, status }: Pick<StoredPod, 'spec'> & PodStatuses): PodContainer[] {
  const view = (
    containers: readonly Container[] | undefined,
    statuses: readonly ContainerStatus[] | undefined,
    roleOf: (container: Container) => PodContainer['role'],
  ): PodContainer[] =>
    (containers ?? []).map((container, index, { length }) => ({
      container,
      status: statuses?.find(({ name }) => name === container.name),
      role: roleOf(container),
      position: index + 1,
      total: length,
    }));
  return [
    ...view(spec.initContainers, status.initContainerStatuses, (container) =>
      isSidecar(container) ? 'sidecar' : 'init',
    ),
    ...view(spec.containers, status.containerStatuses, () => 'regular'),
    ...view(spec.ephemeralContainers, status.ephemeralContainerStatuses, () => 'ephemeral'),
  ];
}

/** The name of a container with its role: `init container migrate (2/3)`, `sidecar proxy`, `container main`. */
export function nameContainer({ container, role, position, total }: PodContainer): string {
  switch (role) {
    case 'init':
      return `init container ${container.name}${total > 1 ? ` (${position}/${total})` : ''}`;
    case 'sidecar':
      return `sidecar ${container.name}`;
    case 'ephemeral':
      return `ephemeral container ${container.name}`;
    case 'regular':
      return `container ${container.name}`;
    default:
      return role satisfies never;
  }
}

/** The word for a role beside the name of a container. Undefined for a regular container. */
export function roleWord(role: PodContainer['role']): string | undefined {
  return role === 'regular' ? undefined : role === 'ephemeral' ? 'debug' : role;
}
