import type { Confinement } from '../../base/confinement.ts';
import type { NamespaceKind } from './holder.ts';

/**
 * The processes that a container sees: its own; its own with its main process as process 1; the processes of another
 * container, of its Pod, or of the host.
 */
export type ProcessView = 'own' | 'first' | 'target' | 'pod' | 'host';

/** The namespaces of a container. */
export interface NamespacePlan {
  readonly processes: ProcessView;
  /** The namespaces to create for the container. */
  readonly own: readonly NamespaceKind[];
  /** The namespaces to join. */
  readonly joined: readonly NamespaceKind[];
}

/** True when a volume of the container has a tie to the host's mounts. */
export function isTied({ mounts }: Pick<Confinement, 'mounts'>): boolean {
  return mounts.some(({ propagation }) => propagation !== undefined);
}

/**
 * Plans the namespaces of a container.
 * @param base the namespaces to join: a target container's or the Pod's
 */
export function planNamespaces(confinement: Confinement, base: 'target' | 'pod' | undefined): NamespacePlan {
  const { hostIPC } = confinement.pod;
  // An OCI runtime makes or joins the process table.
  const table: readonly NamespaceKind[] = confinement.oci === undefined ? ['pid'] : [];
  const processes = processView(confinement, base);
  const memory: readonly NamespaceKind[] = hostIPC ? [] : ['ipc'];
  if (base === undefined) {
    return { processes, own: ['mount', 'uts', ...memory, ...(processes === 'own' ? table : [])], joined: [] };
  }
  const sharesProcesses = processes === 'pod' || processes === 'target';
  return {
    processes,
    own: ['mount', ...(processes === 'own' ? table : [])],
    // A container sees the mounts that the Pod's holder has made for all. They have no tie to the host any more.
    joined: [
      ...(base === 'pod' && !isTied(confinement) ? MOUNT : []),
      'uts',
      ...memory,
      ...(sharesProcesses ? table : []),
    ],
  };
}

const MOUNT: readonly NamespaceKind[] = ['mount'];

function processView({ pod, strictPid1, oci }: Confinement, base: 'target' | 'pod' | undefined): ProcessView {
  if (pod.hostProcesses) return 'host';
  if (base === 'target') return 'target';
  if (pod.sharesProcesses) return 'pod';
  return strictPid1 || oci !== undefined ? 'first' : 'own';
}
