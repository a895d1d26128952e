import { existsSync, realpathSync } from 'node:fs';
import { homeFolder } from '../../user.ts';
import { allContainers, type EphemeralContainer, type StoredPod } from '../../api/index.ts';
import { absoluteMountPath, podHostname, podSysctls } from '../../lifecycle/index.ts';
import { type Confinement, type Mount, pathInImage, type PodMemory, type PodNamespaces } from '../../runtime/index.ts';
import { type FileStore, memoryFolders, type PodFiles, stateRoot } from '../../store/index.ts';
import type { ContainerImages, LaunchImage } from '../../images/index.ts';
import type { AgentSettings } from '../../settings/index.ts';
import type { LaunchInput, LaunchStep, OciOf } from './step.ts';

/** Computes the container's view of the machine. */
export function confinementStep(
  isolation: Pick<Confinement, 'shared' | 'hidden' | 'strictPid1'>,
  files: Pick<PodFiles, 'layer'>,
  images?: ContainerImages,
  ociOf: OciOf = () => undefined,
): LaunchStep {
  return {
    prepare(input, { mounts, image, filter }) {
      const { readOnlyRootFilesystem, privileged = false, procMount } = input.container.securityContext ?? {};
      const oci = ociOf(input.pod);
      const confinement: Confinement = {
        ...isolation,
        ...(oci && { strictPid1: true, oci: { ...oci, seccomp: filter } }),
        pod: namespacesOf(input.pod, images, { image, memory: input.sandbox.volumes?.memory }),
        image: image?.root,
        layerDir: files.layer(input.pod, input.instance),
        processesOf: targetOf(input),
        mounts: [...mounts, ...imageVolumes(image, mounts)].toSorted((a, b) => depthOf(a) - depthOf(b)),
        isRootReadOnly: readOnlyRootFilesystem === true,
        hasAllDevices: privileged,
        areKernelFilesOpen: privileged || procMount === 'Unmasked',
      };
      return { ok: true, changes: { confinement } };
    },
  };
}

/**
 * The volumes that the image names, but for paths at which the manifest mounts another one.
 * Source: containerd, internal/cri/server volumeMounts.
 */
function imageVolumes(image: LaunchImage | undefined, mounts: readonly Mount[]): Mount[] {
  const taken = new Set(mounts.map(({ target }) => target));
  return Object.keys(image?.config.Volumes ?? {}).flatMap((wanted): Mount[] => {
    const target = absoluteMountPath(wanted);
    if (image === undefined || target === '/' || taken.has(target)) return [];
    const { folder, layers } = image.root;
    const path = pathInImage(image.root, target) ?? target;
    return [{ source: folder, target, isReadOnly: false, image: { folder, layers, path } }];
  });
}

/** The parts of a Pod on which its namespaces depend. */
interface PodParts {
  /** The image of a container. */
  readonly image?: LaunchImage | undefined;
  /** The file systems in memory. */
  readonly memory?: readonly PodMemory[] | undefined;
}

/** The namespaces of a Pod. */
export function namespacesOf(
  pod: StoredPod,
  images: ContainerImages | undefined,
  { image, memory = [] }: PodParts,
): PodNamespaces {
  const { metadata, spec } = pod;
  const hostname = podHostname(pod);
  return {
    uid: metadata.uid,
    hostname: spec.hostNetwork === true || !hostname.ok ? undefined : hostname.hostname,
    shmRmidForced: podSysctls(spec).memory,
    sharesMemory: allContainers(spec).length > 1,
    sharesProcesses: spec.shareProcessNamespace === true,
    hostProcesses: spec.hostPID === true,
    hostIPC: spec.hostIPC === true,
    ...mappedUsers(pod, images, image),
    ...(memory.length > 0 && { memory }),
  };
}

/** All containers of a Pod with an image whose files have mapped owners have these users: they may share memory. */
function mappedUsers(
  pod: StoredPod,
  images: ContainerImages | undefined,
  own: LaunchImage | undefined,
): Pick<PodNamespaces, 'hasMappedUsers'> {
  const isMapped = own?.root.owners === 'mapped' || images?.owners() === 'mapped';
  return isMapped && images?.isNeeded(pod) === true ? { hasMappedUsers: true } : {};
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

/**
 * The folders that containers must not see: the state folder with podrun's sockets, logs and layers, and podrun's
 * folders in memory.
 */
export function hiddenFolders(
  { root, memory }: Pick<FileStore, 'root' | 'memory'>,
  env: AgentSettings['hostEnv'],
): string[] {
  const usual = stateRoot({ env, home: homeFolder() });
  return [...new Set([root, usual, ...memoryFolders(memory)].map(withoutLinks))];
}

/** The path without links. A missing folder keeps its path. */
function withoutLinks(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder;
}
