import path from 'node:path';
import type { Container, EphemeralContainer } from '../api/generated/types.ts';
import { allContainers, type StoredPod } from '../api/objects.ts';
import { podHostname } from '../lifecycle/environment/hostname.ts';
import type { Mounted } from '../lifecycle/volumes/volume-mounts.ts';
import { etcFileMounts } from './etc-files.ts';
import type { Confinement, Mount } from '../runtime/confinement.ts';

/** What the user decides about how far containers are kept apart from the machine. */
export interface Isolation {
  /** Folders that people work in: seen, and changed, as they are, unless containers are to have copies. */
  readonly shared: readonly string[];
  /** Folders of podrun that no container sees. */
  readonly hidden: readonly string[];
  /** Make each main process the first of its process namespace? */
  readonly strictPid1: boolean;
}

export interface ConfineInput {
  readonly pod: StoredPod;
  readonly container: Container;
  readonly isolation: Isolation;
  /** Of the instance; see Confinement. */
  readonly layerDir: string;
  readonly volumes: readonly Mounted[];
  /** The instance's file for its last words. */
  readonly terminationLog: string;
  /** Undefined: the Pod has none. */
  readonly podIP: string | undefined;
  /** Keeps the Pod's /etc/hosts and the like; made when missing. */
  readonly etcFolder: string;
}

/** What a container is to see of the machine. The files that stand for those in /etc are written. */
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

/** What lies inside another mount comes after it. Source: containerd, internal/cri/opts/spec_opts.go orderedMounts. */
function depthOf({ target }: Mount): number {
  return target.split('/').length;
}

/** Instances are numbered: whichever of the target runs is meant. */
function targetOf({ pod, container }: ConfineInput): string | undefined {
  const { targetContainerName } = container as EphemeralContainer;
  return targetContainerName ? `${pod.metadata.uid}/${targetContainerName}/` : undefined;
}

/** What is mounted at the path by the manifest itself is left in its place. Source: kuberuntime_container.go. */
function terminationLogMount({ container, volumes, terminationLog }: ConfineInput): Mount[] {
  const target = container.terminationMessagePath;
  if (!target || !path.isAbsolute(target) || volumes.some(({ mountPath }) => mountPath === target)) return [];
  return [{ source: terminationLog, target: path.normalize(target), isReadOnly: false }];
}
