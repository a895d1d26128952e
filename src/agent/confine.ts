import path from 'node:path';
import type { Container, EphemeralContainer } from '../api/generated/types.ts';
import { allContainers, type StoredPod } from '../api/objects.ts';
import { podHostname } from '../lifecycle/environment/hostname.ts';
import type { Mounted } from '../lifecycle/volumes/volume-mounts.ts';
import { etcFileMounts } from './etc-files.ts';
import type { Confinement, Mount } from '../runtime/confinement.ts';

/** The user's choices about the isolation of containers from the machine. */
export interface Isolation {
  /** The user's working folders, which containers change directly. Empty with --isolate. */
  readonly shared: readonly string[];
  /** Folders of podrun that no container sees. */
  readonly hidden: readonly string[];
  /** True when each main process is process 1 of its namespace. */
  readonly strictPid1: boolean;
}

export interface ConfineInput {
  readonly pod: StoredPod;
  readonly container: Container;
  readonly isolation: Isolation;
  /** The folder of the instance's layer; see Confinement. */
  readonly layerDir: string;
  readonly volumes: readonly Mounted[];
  /** The termination log of the instance. */
  readonly terminationLog: string;
  /** Undefined: the Pod has no address. */
  readonly podIP: string | undefined;
  /** The folder of the Pod's /etc/hosts, /etc/hostname and /etc/resolv.conf. Created when missing. */
  readonly etcFolder: string;
}

/** Computes the container's view of the machine, and writes its files of /etc. */
export function confine(input: ConfineInput): Confinement {
  const { pod, container, isolation, layerDir, volumes } = input;
  const { spec, metadata } = pod;
  const hostname = podHostname(pod);
  const security = container.securityContext;
  const mounts: Mount[] = [
    ...volumes.map(({ source, mountPath, isReadOnly, identity }) => ({
      source,
      target: mountPath,
      isReadOnly,
      identity,
    })),
    ...terminationLogMount(input),
    ...etcFileMounts(input),
  ];
  return {
    pod: {
      uid: metadata.uid,
      hostname: spec.hostNetwork === true || !hostname.ok ? undefined : hostname.hostname,
      sharesMemory: allContainers(spec).length > 1,
      sharesProcesses: spec.shareProcessNamespace === true,
      hostProcesses: spec.hostPID === true,
      hostIPC: spec.hostIPC === true,
    },
    layerDir,
    processesOf: targetOf(input),
    mounts: mounts.toSorted((a, b) => depthOf(a) - depthOf(b)),
    shared: isolation.shared,
    hidden: isolation.hidden,
    isRootReadOnly: security?.readOnlyRootFilesystem === true,
    hasAllDevices: security?.privileged === true,
    areKernelFilesOpen: security?.privileged === true || security?.procMount === 'Unmasked',
    strictPid1: isolation.strictPid1,
  };
}

/**
 * The depth of a mount: mounts inside another mount come after it.
 * Source: containerd, internal/cri/opts/spec_opts.go orderedMounts.
 */
function depthOf({ target }: Mount): number {
  return target.split('/').length;
}

/** The prefix of the target's instance ids: any instance of the target container matches. */
function targetOf({ pod, container }: ConfineInput): string | undefined {
  const { targetContainerName } = container as EphemeralContainer;
  return targetContainerName ? `${pod.metadata.uid}/${targetContainerName}/` : undefined;
}

/**
 * The mount of the termination log, unless the manifest mounts a volume at the same path.
 * Source: kuberuntime_container.go.
 */
function terminationLogMount({ container, volumes, terminationLog }: ConfineInput): Mount[] {
  const target = container.terminationMessagePath;
  if (!target || !path.isAbsolute(target) || volumes.some(({ mountPath }) => mountPath === target)) return [];
  return [{ source: terminationLog, target: path.normalize(target), isReadOnly: false }];
}
