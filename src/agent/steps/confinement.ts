import type { EphemeralContainer } from '../../api/generated/types.ts';
import { allContainers, type StoredPod } from '../../api/objects.ts';
import { podHostname } from '../../lifecycle/environment/hostname.ts';
import type { Confinement, Mount, PodNamespaces } from '../../runtime/confinement.ts';
import type { PodFiles } from '../container-logs.ts';
import type { LaunchInput, LaunchStep } from './step.ts';

/** The user's choices about the isolation of containers from the machine. */
export interface Isolation {
  /** The user's working folders, which containers change directly. Empty with --isolate. */
  readonly shared: readonly string[];
  /** Folders of podrun that no container sees. */
  readonly hidden: readonly string[];
  /** True when each main process is process 1 of its namespace. */
  readonly strictPid1: boolean;
}

/** Computes the container's view of the machine. */
export function confinementStep(isolation: Isolation, files: Pick<PodFiles, 'layer'>): LaunchStep {
  const { shared, hidden, strictPid1 } = isolation;
  return {
    prepare(input, { mounts }) {
      const { readOnlyRootFilesystem, privileged = false, procMount } = input.container.securityContext ?? {};
      const confinement: Confinement = {
        pod: podNamespaces(input.pod),
        layerDir: files.layer(input.pod, input.instance),
        processesOf: targetOf(input),
        mounts: mounts.toSorted((a, b) => depthOf(a) - depthOf(b)),
        shared,
        hidden,
        isRootReadOnly: readOnlyRootFilesystem === true,
        hasAllDevices: privileged,
        areKernelFilesOpen: privileged || procMount === 'Unmasked',
        strictPid1,
      };
      return { ok: true, changes: { confinement } };
    },
  };
}

function podNamespaces(pod: StoredPod): PodNamespaces {
  const { metadata, spec } = pod;
  const hostname = podHostname(pod);
  return {
    uid: metadata.uid,
    hostname: spec.hostNetwork === true || !hostname.ok ? undefined : hostname.hostname,
    sharesMemory: allContainers(spec).length > 1,
    sharesProcesses: spec.shareProcessNamespace === true,
    hostProcesses: spec.hostPID === true,
    hostIPC: spec.hostIPC === true,
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
function targetOf({ pod, container }: LaunchInput): string | undefined {
  const { targetContainerName } = container as EphemeralContainer;
  return targetContainerName ? `${pod.metadata.uid}/${targetContainerName}/` : undefined;
}
