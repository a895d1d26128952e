/*
 * What a container is to see of the machine, as whom it runs, and how much it may take: plain data that the agent
 * computes from a Pod, and a runtime gives as far as it can (see features.ts).
 */

/** The view a container has of the machine. */
export interface Confinement {
  readonly pod: PodNamespaces;
  /** Keeps what an instance writes to its copy of the root; made when missing, removed at its end. */
  readonly layerDir: string;
  /** The ID of a container begins so whose processes it sees, as one of them; undefined: it has its own. */
  readonly processesOf: string | undefined;
  /** What is mounted over the root, in this order: what lies inside another comes after it. */
  readonly mounts: readonly Mount[];
  /** What of the host is seen, and changed, as it is; all else is a copy that is lost at the end. */
  readonly shared: readonly string[];
  /** Folders of the host that no container sees, wherever they would show: absolute, without links. */
  readonly hidden: readonly string[];
  readonly isRootReadOnly: boolean;
  /** All devices of the machine, not only those that are always there; and /sys can be written to. */
  readonly hasAllDevices: boolean;
  /** Nothing of /proc and /sys is masked or read-only. */
  readonly areKernelFilesOpen: boolean;
  /** Is the main process process 1 of its namespace? Otherwise a reaper is. */
  readonly strictPid1: boolean;
}

/** What the containers of a Pod have in common. */
export interface PodNamespaces {
  readonly uid: string;
  /** Undefined: the host's. */
  readonly hostname: string | undefined;
  /** The Pod has several containers, which see each other's shared memory and message queues. */
  readonly sharesMemory: boolean;
  /** One process table for all containers of the Pod. */
  readonly sharesProcesses: boolean;
  readonly hostProcesses: boolean;
  readonly hostIPC: boolean;
}

/** A file or folder of the host at a place in the container. Both are absolute, without `.` and `..`. */
export interface Mount {
  readonly source: string;
  readonly target: string;
  readonly isReadOnly: boolean;
  /** What was found at the source, see file-identity.ts: somebody may put something else there before it is mounted. */
  readonly identity?: string | undefined;
}

/** As whom a process runs. What is undefined is podrun's own. */
export interface Identity {
  readonly uid: number | undefined;
  readonly gid: number | undefined;
  /** Supplementary groups; undefined: those of podrun, or, for another user, none. */
  readonly groups: readonly number[] | undefined;
  /** Names without CAP_, in lower case; undefined: those that podrun has. */
  readonly capabilities: readonly string[] | undefined;
  /** Setuid programs and file capabilities give nothing. */
  readonly noNewPrivileges: boolean;
}

/** What a group of processes may take, at most. Undefined: as much as there is. */
export interface GroupLimits {
  readonly memoryBytes: number | undefined;
  /** Thousandths of a CPU. */
  readonly cpuMillis: number | undefined;
  /** Its share when CPUs are short, thousandths of a CPU. */
  readonly cpuRequestMillis: number | undefined;
  readonly pids: number | undefined;
}

/** What a container may take. */
export interface ResourceLimits extends GroupLimits {
  /** What all containers may take together whose IDs have the same first part: those of a Pod. */
  readonly together: GroupLimits;
}
