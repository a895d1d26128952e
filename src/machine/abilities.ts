/*
 * The abilities of a machine, as data. The runtime finds them, and printers put them into words.
 */

/** Kernel settings that keep ordinary users from creating namespaces, named as in sysctl(8). */
export type KernelSetting =
  | 'kernel.apparmor_restrict_unprivileged_userns'
  | 'kernel.unprivileged_userns_clone'
  | 'user.max_user_namespaces';

/** The reason for a missing ability. `said` is the output of the program that tried. */
export type Obstacle =
  | { readonly type: 'platform'; readonly platform: string }
  | { readonly type: 'missingPrograms'; readonly programs: readonly string[] }
  /** The programs are busybox's, which lack options. */
  | { readonly type: 'busybox'; readonly programs: readonly string[] }
  | { readonly type: 'outdated'; readonly program: string; readonly said: string }
  | { readonly type: 'setting'; readonly setting: KernelSetting; readonly value: string; readonly said: string }
  | {
      readonly type: 'refused';
      /** The attempt, for example `mount tmpfs`. */
      readonly doing: string;
      readonly said: string;
      /** The restrictions of podrun itself. */
      readonly confinedBy: readonly ('capabilities' | 'seccomp')[];
    }
  | { readonly type: 'timeout'; readonly doing: string; readonly afterMs: number }
  | { readonly type: 'folder'; readonly path: string; readonly said: string }
  | { readonly type: 'missingPackage'; readonly name: string }
  | { readonly type: 'notRoot' }
  /** Root without the necessary capabilities. */
  | { readonly type: 'missingCapabilities'; readonly capabilities: readonly string[] }
  /** Limits are not enforced: no cgroup can be created here. */
  | { readonly type: 'noCgroup'; readonly said: string }
  /** The user has no range in /etc/subuid, or newuidmap(1) is missing. */
  | { readonly type: 'noSubordinateIds'; readonly user: string; readonly said: string }
  /** None of these folders is a tmpfs that podrun may write to. */
  | { readonly type: 'noMemory'; readonly places: readonly string[] };

/** An ability that podrun has on some machines only. */
export type MachineFeature =
  | 'namespaces'
  | 'ownProc'
  | 'layers'
  | 'users'
  | 'limits'
  | 'podAddresses'
  | 'podNetworks'
  | 'clusterNetworks'
  | 'wayOut'
  | 'serviceNames'
  | 'serviceRules'
  | 'images'
  | 'memoryVolumes'
  | 'ociRuntimes'
  | 'terminals';

/** The finding about one ability. */
export interface MachineFinding {
  readonly feature: MachineFeature;
  readonly verdict: 'yes' | 'partly' | 'no';
  /** The way in which podrun does it, for example `root` or `user`. */
  readonly how?: string;
  /** The reason for `no` or `partly`. */
  readonly why?: Obstacle;
}

/** The report of `podrun doctor`. */
export interface MachineReport {
  readonly podrun: string;
  readonly node: string;
  /** The platform as Node names it: `linux`. `architecture` likewise: `x64`. */
  readonly platform: string;
  readonly architecture: string;
  /** The release of the kernel. */
  readonly kernel: string;
  /** The Linux distribution and its ancestors from /etc/os-release, for example `ubuntu`, `debian`. */
  readonly distributions: readonly string[];
  readonly userId: number;
  readonly stateDir: string;
  /** The isolation of containers in the next `apply`. */
  readonly runtime: {
    /** The value of PODRUN_RUNTIME or podrun.yaml. */
    readonly choice: RuntimeChoice;
    /** Undefined: the demanded isolation is not available. */
    readonly tier: 'process' | 'namespace' | undefined;
  };
  readonly findings: readonly MachineFinding[];
}

/** The isolation of containers. auto: the best on this machine. Any other choice must be available. */
export const RUNTIME_CHOICES = ['auto', 'process', 'namespace'] as const;
export type RuntimeChoice = (typeof RUNTIME_CHOICES)[number];
