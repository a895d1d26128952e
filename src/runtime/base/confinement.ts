/*
 * The view, the user and the limits of a container, as plain data: the agent computes it from a Pod, and a runtime
 * fulfils it as far as it can (see features.ts).
 */

import type { SeccompFilter } from './seccomp.ts';

/** A container's view of the machine. */
export interface Confinement {
  readonly pod: PodNamespaces;
  /**
   * The folder for the files that an instance writes to its copy of the root. Created when missing, removed at the
   * instance's end.
   */
  readonly layerDir: string;
  /** The id prefix of another container, whose processes this one shares. Undefined: none. */
  readonly processesOf: string | undefined;
  /** The mounts over the root, in order: a mount inside another one comes after it. */
  readonly mounts: readonly Mount[];
  /** The image whose files the container has in place of the host's. Undefined: it sees the host's files. */
  readonly image?: ImageRoot | undefined;
  /**
   * Folders of the host that containers change directly. All other folders are a copy that is removed with the
   * instance.
   */
  readonly shared: readonly string[];
  /** Folders of the host that no container sees: absolute, without links. */
  readonly hidden: readonly string[];
  readonly isRootReadOnly: boolean;
  /** True: all devices of the machine instead of the standard ones, and a writable /sys. */
  readonly hasAllDevices: boolean;
  /** True: no part of /proc and /sys is masked or read-only. */
  readonly areKernelFilesOpen: boolean;
  /** True: the main process is process 1 of its namespace. Otherwise a reaper is. */
  readonly strictPid1: boolean;
  /** The OCI runtime that starts the programs of the container. Undefined: podrun does. */
  readonly oci?: (OciProgram & { readonly seccomp: SeccompFilter | undefined }) | undefined;
}

/**
 * The owners of the files of an image: the machine's users (`root`), users of a user namespace with the subordinate ids
 * of podrun's user (`mapped`), or podrun's user alone, whom the container sees as root (`single`).
 */
export type FileOwners = 'root' | 'mapped' | 'single';

/** The unpacked layers of an image. */
export interface ImageLayers {
  /** The folder with the links `l/0`, `l/1` and so on to the layers, the uppermost first. Absolute. */
  readonly folder: string;
  readonly layers: number;
}

/** The files of an image, as the root of a container. */
export interface ImageRoot extends ImageLayers {
  readonly owners: FileOwners;
}

/** A program that runs OCI bundles, such as crun or runc. */
export interface OciProgram {
  /** Absolute. */
  readonly file: string;
  /** Mounts of this machine that keep it from working. They are taken away in the mount namespace of each container. */
  readonly hiddenMounts: readonly string[];
}

/** The namespaces that the containers of a Pod share. */
export interface PodNamespaces {
  readonly uid: string;
  /** Undefined: the host's. */
  readonly hostname: string | undefined;
  /** The value of kernel.shm_rmid_forced, without line breaks. Undefined: the kernel's. */
  readonly shmRmidForced?: string | undefined;
  /** True for several containers, which share memory and message queues. */
  readonly sharesMemory: boolean;
  /** True: all containers of the Pod share one process table. */
  readonly sharesProcesses: boolean;
  readonly hostProcesses: boolean;
  readonly hostIPC: boolean;
  /** True when a container of the Pod has an image whose owners are `mapped`: all its containers have these users. */
  readonly hasMappedUsers?: boolean;
  /** File systems in memory that the containers of the Pod alone see, at these places of the host. */
  readonly memory?: readonly PodMemory[] | undefined;
}

/** A file system in memory with a size of its own. */
export interface PodMemory {
  /** An existing folder of the host, without links. */
  readonly folder: string;
  readonly bytes: number;
}

/** A file or folder at a path in the container. Both are absolute, without `.` and `..`. */
export interface Mount {
  /** The place on the host. Of an image: its folder. */
  readonly source: string;
  /**
   * The image whose file or folder `path` is shown: absolute in the image, without links. Without `isReadOnly`, it is a
   * folder of the container's own image, as a copy; an empty one where the image has none.
   */
  readonly image?: (ImageLayers & { readonly path: string }) | undefined;
  readonly target: string;
  readonly isReadOnly: boolean;
  /**
   * The folder shows later mounts of the host in it (`from host`), and the host gets the container's mounts, too
   * (`both ways`). Undefined: its mounts are of the moment of the start.
   */
  readonly propagation?: MountPropagation | undefined;
  /** The identity of the source, see file-identity.ts: another process may replace the source before it is mounted. */
  readonly identity?: string | undefined;
}

export type MountPropagation = 'from host' | 'both ways';

/** The user and rights of a process. An undefined field is podrun's own. */
export interface Identity {
  readonly uid: number | undefined;
  readonly gid: number | undefined;
  /** The supplementary groups. Undefined: podrun's own, or none for another user. */
  readonly groups: readonly number[] | undefined;
  /** Names without CAP_, in lower case. Undefined: podrun's own. */
  readonly capabilities: readonly string[] | undefined;
  /** True: setuid programs and file capabilities have no effect. */
  readonly noNewPrivileges: boolean;
}

/** The user and rights of podrun itself. */
export const OWN_IDENTITY: Identity = {
  uid: undefined,
  gid: undefined,
  groups: undefined,
  capabilities: undefined,
  noNewPrivileges: false,
};

/** The limits of a group of processes. Undefined: no limit. */
export interface GroupLimits {
  readonly memoryBytes: number | undefined;
  /** In thousandths of a CPU. */
  readonly cpuMillis: number | undefined;
  /** The share when CPUs are short, in thousandths of a CPU. */
  readonly cpuRequestMillis: number | undefined;
  readonly pids: number | undefined;
}

/** The limits of a container. */
export interface ResourceLimits extends GroupLimits {
  /** The common limits of all containers whose ids have the same first part: the limits of a Pod. */
  readonly together: GroupLimits;
}
