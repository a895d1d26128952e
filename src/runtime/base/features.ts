import type { Obstacle } from '../../machine/index.ts';

/** The isolation of containers: none, or by namespaces of the kernel. */
export type Tier = 'process' | 'namespace';

/** Absolute paths of a shell and of util-linux's programs for namespaces. */
export interface NamespaceTools {
  readonly sh: string;
  readonly unshare: string;
  readonly nsenter: string;
  readonly mount: string;
  readonly umount: string;
  readonly pivotRoot: string;
  readonly setpriv: string;
  readonly setsid: string;
  readonly sleep: string;
  readonly flock: string;
  readonly env: string;
  /** Loads filters of system calls. Undefined: perl is not installed. */
  readonly perl?: string | undefined;
}

/** The ways in which podrun can make namespaces on this machine. */
export interface NamespaceFacts {
  readonly tools: NamespaceTools;
  /** `root`: with CAP_SYS_ADMIN. `user`: in a user namespace of podrun's own. */
  readonly mode: 'root' | 'user';
  /** True when a container can mount its own /proc. Otherwise it sees the host's. */
  readonly hasOwnProc: boolean;
  /**
   * The place for the upper layer of an overlay: the state directory, or only a tmpfs (when the state directory is
   * itself on an overlay). Undefined: overlays cannot be mounted, and containers see the host's root read-only.
   */
  readonly layers: 'disk' | 'tmpfs' | undefined;
}

/** The gaps of a machine that can make namespaces: what podrun does without, and why. */
export interface NamespaceGaps {
  readonly ownProc?: Obstacle;
  readonly diskLayers?: Obstacle;
  readonly tmpfsLayers?: Obstacle;
}

/** The result of the check for namespaces. */
export type NamespaceDetection =
  | { readonly ok: true; readonly facts: NamespaceFacts; readonly gaps: NamespaceGaps; readonly costMs: number }
  | { readonly ok: false; readonly why: Obstacle; readonly costMs: number };

/** The features of a runtime on this machine. */
export interface RuntimeFeatures {
  readonly tier: Tier;
  /** Undefined in the process tier. */
  readonly namespaces: NamespaceFacts | undefined;
}
