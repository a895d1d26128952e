import type { Obstacle } from '../api/machine.ts';

/** How containers are kept apart: not at all, or by namespaces of the kernel. */
export type Tier = 'process' | 'namespace';

/** Absolute paths of the programs of util-linux (and of a shell) that make namespaces. */
export interface NamespaceTools {
  readonly sh: string;
  readonly unshare: string;
  readonly nsenter: string;
  readonly mount: string;
  readonly umount: string;
  readonly pivotRoot: string;
  readonly setpriv: string;
  readonly sleep: string;
  readonly flock: string;
  readonly env: string;
}

/** How this machine lets us make namespaces. */
export interface NamespaceFacts {
  readonly tools: NamespaceTools;
  /** `root`: with CAP_SYS_ADMIN; `user`: in a user namespace of our own. */
  readonly mode: 'root' | 'user';
  /** A /proc of its own may be mounted; else the host's is seen. */
  readonly hasOwnProc: boolean;
  /**
   * Where the upper layer of an overlay may be: in the state directory, or in a tmpfs only (the state directory is
   * itself on an overlay). Undefined: overlays cannot be mounted, and the host's root is seen read-only.
   */
  readonly layers: 'disk' | 'tmpfs' | undefined;
}

/** The gaps of a machine that can make namespaces: what podrun works around there, and why. */
export interface NamespaceGaps {
  readonly ownProc?: Obstacle;
  readonly diskLayers?: Obstacle;
  readonly tmpfsLayers?: Obstacle;
}

/** The answer to whether containers can be kept apart by namespaces here. */
export type NamespaceDetection =
  | { readonly ok: true; readonly facts: NamespaceFacts; readonly gaps: NamespaceGaps; readonly costMs: number }
  | { readonly ok: false; readonly why: Obstacle; readonly costMs: number };

/** What a runtime can do on this machine. */
export interface RuntimeFeatures {
  readonly tier: Tier;
  /** Undefined in the process tier. */
  readonly namespaces: NamespaceFacts | undefined;
}
