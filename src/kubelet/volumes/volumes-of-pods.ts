import { claimedData, type ClaimedData } from '../../apiserver/index.ts';
import { allContainers, type StoredPod, type VolumeMount } from '../../api/index.ts';
import type { NodeImages } from '../../images/index.ts';
import { imageFolder, imageNotHere, type NodeFacts, type OwnRights, volumeGroup } from '../../lifecycle/index.ts';
import type { ImageLayers } from '../../runtime/index.ts';
import type { AgentSettings } from '../../settings/index.ts';
import type { MemoryArea, PodFiles } from '../../store/index.ts';
import type { VolumeSources } from './set-up-volume.ts';
import { PodVolumes, type PodVolumesOptions, type SandboxAttempt } from './pod-volumes.ts';

interface VolumesOptions extends Omit<PodVolumesOptions, 'pod' | 'node' | 'sources'> {
  /** See PodNetworks. */
  readonly nodeOf: (pod: StoredPod) => NodeFacts;
  readonly files: PodFiles;
  readonly settings: AgentSettings;
  /** Undefined: no container runs from an image. */
  readonly images: NodeImages | undefined;
  /** The rights of this process. Read when the first Pod needs them. */
  readonly rights: () => OwnRights;
}

/** The volumes of all Pods of an agent, with the places on this machine from which they get their files. */
export class VolumesOfPods {
  readonly #options: VolumesOptions;
  /** By uid of the Pod; only Pods that have volumes and have not ended. */
  readonly #volumes = new Map<string, PodVolumes>();

  constructor(options: VolumesOptions) {
    this.#options = options;
  }

  /** The volumes of a Pod. Undefined: it has none, or has ended. */
  of(pod: StoredPod): PodVolumes | undefined {
    return this.#volumes.get(pod.metadata.uid);
  }

  /** Sets the volumes of a Pod up, also again after a failed attempt: see PodVolumes. */
  async setUp(pod: StoredPod, attempt: SandboxAttempt): Promise<void> {
    const { store, clock, nodeOf, files, settings, rights, images } = this.#options;
    const { namespace, uid } = pod.metadata;
    const sources = {
      volumes: files.paths(pod).volumes,
      memory: store.memory,
      claim: (name: string): ClaimedData | undefined => claimedData(store, namespace, name),
      image: (reference: string): string | undefined => imageFolder(reference, settings.images),
      imageFiles: (reference: string): ImageLayers => {
        const layers = images?.filesOf(pod, reference);
        if (layers === undefined) throw new Error(imageNotHere(reference));
        return layers;
      },
      sizesMemory: sizesMemory(pod, rights(), store.memory),
      group: volumeGroup(pod.spec, rights()),
    };
    this.#volumes.get(uid)?.close();
    const volumes = new PodVolumes({ pod, store, clock, node: nodeOf(pod), sources });
    this.#volumes.set(uid, volumes);
    await volumes.setUp(attempt);
  }

  /** Removes the volumes of a Pod that has ended. */
  remove(pod: StoredPod): void {
    this.of(pod)?.remove();
    this.#volumes.delete(pod.metadata.uid);
  }
}

/**
 * Only root mounts for this machine. In the namespaces of an ordinary user, the mounts of a Pod have no tie to the
 * machine's mounts, which a container with propagation needs.
 */
function sizesMemory(
  { spec }: StoredPod,
  { tier, isInUserNamespace }: OwnRights,
  { mounts }: MemoryArea,
): VolumeSources['sizesMemory'] {
  if (tier !== 'namespace' || mounts === undefined) return undefined;
  if (!isInUserNamespace) return 'here';
  const isTied = allContainers(spec).some(({ volumeMounts = [] }) => volumeMounts.some(isTie));
  return isTied ? undefined : 'in Pod';
}

function isTie({ mountPropagation = 'None' }: VolumeMount): boolean {
  return mountPropagation !== 'None';
}
