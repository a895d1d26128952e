import type { NamespaceFacts } from '../../features.ts';
import type { HostMount } from './host-mounts.ts';

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
