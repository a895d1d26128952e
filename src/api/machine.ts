/*
 * What a machine permits and what it does not, as data: found by the runtime, put into words by whoever prints it.
 */

import type { RuntimeChoice } from './runtime-choice.ts';

/** Settings of the kernel that keep ordinary users from making namespaces, as sysctl(8) names them. */
export type KernelSetting =
  | 'kernel.apparmor_restrict_unprivileged_userns'
  | 'kernel.unprivileged_userns_clone'
  | 'user.max_user_namespaces';

/** Why something cannot be had on this machine. `said` are the words of the program that tried. */
export type Obstacle =
  | { readonly type: 'platform'; readonly platform: string }
  | { readonly type: 'missingPrograms'; readonly programs: readonly string[] }
  /** They are there, but those of busybox, which know too little. */
  | { readonly type: 'busybox'; readonly programs: readonly string[] }
  | { readonly type: 'outdated'; readonly program: string; readonly said: string }
  | { readonly type: 'setting'; readonly setting: KernelSetting; readonly value: string; readonly said: string }
  | {
      readonly type: 'refused';
      /** What was tried, for example `mount tmpfs`. */
      readonly doing: string;
      readonly said: string;
      /** What podrun itself is confined by. */
      readonly confinedBy: readonly ('capabilities' | 'seccomp')[];
    }
  | { readonly type: 'timeout'; readonly doing: string; readonly afterMs: number }
  | { readonly type: 'folder'; readonly path: string; readonly said: string }
  | { readonly type: 'missingPackage'; readonly name: string }
  | { readonly type: 'notRoot' }
  /** Root, but without the capabilities that are needed. */
  | { readonly type: 'missingCapabilities'; readonly capabilities: readonly string[] }
  /** Limits do not hold: where no cgroup can be made, and why. */
  | { readonly type: 'noCgroup'; readonly said: string }
  /** None of these is a tmpfs that podrun may write to. */
  | { readonly type: 'noMemory'; readonly places: readonly string[] };

/** What podrun can do on some machines and cannot on others. */
export type MachineFeature =
  | 'namespaces'
  | 'ownProc'
  | 'layers'
  | 'users'
  | 'limits'
  | 'podAddresses'
  | 'podNetworks'
  | 'memoryVolumes'
  | 'terminals';

/** What was found out about one of them. */
export interface MachineFinding {
  readonly feature: MachineFeature;
  readonly verdict: 'yes' | 'partly' | 'no';
  /** Which of several ways it is done, for example `root` or `user`. */
  readonly how?: string;
  /** Why not, or why not better. */
  readonly why?: Obstacle;
}

/** What `podrun doctor` finds out. */
export interface MachineReport {
  readonly podrun: string;
  readonly node: string;
  /** As Node names them: `linux`, `x64`. */
  readonly platform: string;
  readonly architecture: string;
  /** The release of the kernel. */
  readonly kernel: string;
  /** Of Linux, as /etc/os-release names it and what it derives from, for example `ubuntu`, `debian`. */
  readonly distributions: readonly string[];
  readonly userId: number;
  readonly stateDir: string;
  /** How containers are kept apart in the next `apply`. */
  readonly runtime: {
    /** As PODRUN_RUNTIME and podrun.yaml have it. */
    readonly choice: RuntimeChoice;
    /** Undefined: what is demanded cannot be had. */
    readonly tier: 'process' | 'namespace' | undefined;
  };
  readonly findings: readonly MachineFinding[];
}
