import type { NamespaceFacts } from '../../base/features.ts';
import type { HostMount } from '../paths/host-mounts.ts';

/** The options of an empty folder that covers something, and of a place that becomes read-only. */
export const MASK_OPTIONS: readonly string[] = ['ro', 'nosuid', 'nodev', 'noexec'];

/** The container whose mounts a plan lists. */
export interface MountPlanOptions {
  /** An existing empty folder. */
  readonly layerDir: string;
  readonly hostMounts: readonly HostMount[];
  readonly mode: 'root' | 'user';
  readonly layers: NamespaceFacts['layers'];
  readonly isReadOnly: boolean;
  /** True when device nodes work on all mounts. */
  readonly hasAllDevices: boolean;
  /** Folders of the host that are hidden at every path. */
  readonly hidden: readonly string[];
}

/** The option without which device nodes that a container makes would work: there is no device cgroup. */
export function withoutDevices({ mode, hasAllDevices }: MountPlanOptions): string[] {
  return mode === 'root' && !hasAllDevices ? ['nodev'] : [];
}
