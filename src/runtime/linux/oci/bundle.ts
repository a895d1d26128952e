import type { Identity } from '../../base/confinement.ts';
import type { ProgramCall } from '../../base/inside.ts';
import { MASKED_FILES, READ_ONLY_FILES } from '../namespace/devices.ts';
import { PROC_OPTIONS } from '../namespace/mount-list.ts';
import type { SeccompFilter } from '../../base/seccomp.ts';

/** A kind of namespace, as the configuration of a bundle names it, and the file of the one to join. */
export interface BundleNamespace {
  readonly type: 'mount' | 'pid' | 'ipc' | 'uts' | 'cgroup';
  /** Undefined: a new one. */
  readonly path?: string;
}

export interface BundleRequest {
  readonly call: ProgramCall;
  readonly identity: Identity;
  /** The container's root, as the runtime sees it. */
  readonly root: string;
  readonly namespaces: readonly BundleNamespace[];
  /** True: no part of /proc is masked or read-only. */
  readonly areKernelFilesOpen: boolean;
  /** Undefined: all system calls are permitted. */
  readonly seccomp: SeccompFilter | undefined;
}

/** The process of a bundle, or of a command beside it. Source: opencontainers/runtime-spec, config.md. */
export interface BundleProcess {
  readonly terminal: boolean;
  readonly user: { readonly uid: number; readonly gid: number; readonly additionalGids: readonly number[] };
  readonly args: readonly string[];
  readonly env: readonly string[];
  readonly cwd: string;
  readonly capabilities: Readonly<Record<'bounding' | 'effective' | 'permitted', readonly string[]>>;
  readonly noNewPrivileges: boolean;
}

/** The part of a bundle's config.json that podrun uses. */
export interface BundleConfig {
  readonly ociVersion: string;
  readonly process: BundleProcess;
  readonly root: { readonly path: string };
  readonly mounts: readonly object[];
  readonly linux: {
    readonly namespaces: readonly BundleNamespace[];
    readonly maskedPaths: readonly string[];
    readonly readonlyPaths: readonly string[];
    readonly seccomp?: SeccompFilter;
  };
}

/**
 * The configuration of a container whose root podrun has mounted, with its files, /dev and /sys. An OCI runtime adds
 * the process with its user and rights, its process table with the /proc that shows it, and the filter of system calls.
 */
export function bundleConfig(request: BundleRequest): BundleConfig {
  const { call, identity, root, namespaces, areKernelFilesOpen, seccomp } = request;
  const ownProc = namespaces.some(({ type }) => type === 'pid');
  const ofProc = (file: string): boolean => file.startsWith('/proc/');
  const isMasked = ownProc && !areKernelFilesOpen;
  return {
    ociVersion: '1.0.2',
    process: bundleProcess(call, identity),
    root: { path: root },
    mounts: [
      // With a /dev that is bound, runtimes make no devices.
      { destination: '/dev', type: 'bind', source: `${root}/dev`, options: ['rbind'] },
      ...(ownProc ? [{ destination: '/proc', type: 'proc', source: 'proc', options: PROC_OPTIONS }] : []),
    ],
    linux: {
      namespaces,
      maskedPaths: isMasked ? MASKED_FILES.filter(ofProc) : [],
      readonlyPaths: isMasked ? READ_ONLY_FILES.filter(ofProc) : [],
      ...(seccomp && { seccomp }),
    },
  };
}

/** A process with an identity. Without a user in it, that is podrun's: root. */
export function bundleProcess({ argv, env, cwd, hasTerminal = false }: ProgramCall, identity: Identity): BundleProcess {
  const { uid = 0, gid = 0, groups = [], capabilities = [], noNewPrivileges } = identity;
  const names = capabilities.map((name) => `CAP_${name.toUpperCase()}`);
  return {
    terminal: hasTerminal,
    user: { uid, gid, additionalGids: groups },
    args: argv,
    env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    cwd,
    capabilities: { bounding: names, effective: names, permitted: names },
    noNewPrivileges,
  };
}
