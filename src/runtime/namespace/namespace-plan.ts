import type { Confinement } from '../confinement.ts';
import type { NamespaceKind } from './holder.ts';

/**
 * Whose processes a container sees: its own; its own, of which its main process is the first; those of another
 * container, of its Pod, of the host.
 */
export type ProcessView = 'own' | 'first' | 'target' | 'pod' | 'host';

/** Where the namespaces of a container come from. */
export interface NamespacePlan {
  readonly processes: ProcessView;
  /** Made for it alone, beside its own mounts. */
  readonly own: readonly NamespaceKind[];
  /** Taken from a process that has them already. */
  readonly joined: readonly NamespaceKind[];
}

/**
 * @param base what there is to join: a container whose processes are to be seen, or the holder of what is the Pod's
 */
export function planNamespaces(confinement: Confinement, base: 'target' | 'pod' | undefined): NamespacePlan {
  const { hostIPC } = confinement.pod;
  const processes = processView(confinement, base);
  const memory: readonly NamespaceKind[] = hostIPC ? [] : ['ipc'];
  if (base === undefined) {
    return { processes, own: ['mount', 'uts', ...memory, ...(processes === 'own' ? PID : [])], joined: [] };
  }
  const sharesProcesses = processes === 'pod' || processes === 'target';
  return {
    processes,
    own: ['mount', ...(processes === 'own' ? PID : [])],
    // Of the mounts of its Pod, a container sees what the Pod's holder has made for all.
    joined: [...(base === 'pod' ? MOUNT : []), 'uts', ...memory, ...(sharesProcesses ? PID : [])],
  };
}

const PID: readonly NamespaceKind[] = ['pid'];
const MOUNT: readonly NamespaceKind[] = ['mount'];

function processView({ pod, strictPid1 }: Confinement, base: 'target' | 'pod' | undefined): ProcessView {
  if (pod.hostProcesses) return 'host';
  if (base === 'target') return 'target';
  if (pod.sharesProcesses) return 'pod';
  return strictPid1 ? 'first' : 'own';
}
