import type { StoredPod, Volume } from '../../../api/index.ts';
import { CLAIM, MISFIT } from '../../texts/scheduling.ts';
import { type FilterPlugin, PASSES, solvable } from '../base/plugin.ts';

/**
 * Keeps claims with ReadWriteOncePod for one Pod of the cluster, and disks for one Pod of a node. Source:
 * pkg/scheduler/framework/plugins/volumerestrictions/volume_restrictions.go.
 */
export const volumeRestrictions: FilterPlugin = {
  name: 'VolumeRestrictions',
  prepare: (pod, { claim, nodes }) => {
    const { namespace } = pod.metadata;
    const names = claimNames(pod);
    const missing = names.find((name) => claim(namespace, name) === undefined);
    if (missing !== undefined) return { type: 'rejects', reasons: [CLAIM.notFound(missing)] };
    const exclusive = names.filter((name) => claim(namespace, name)?.spec.accessModes?.includes('ReadWriteOncePod'));
    const others = exclusive.length === 0 ? [] : nodes.flatMap(({ pods }) => pods);
    const isInUse = others.some(
      (other) => other.metadata.namespace === namespace && claimNames(other).some((name) => exclusive.includes(name)),
    );
    if (!isInUse && disksOf(pod).length === 0) return PASSES;
    return {
      type: 'filters',
      filter: ({ pods }) => {
        if (isInUse) return solvable(MISFIT.volumeInUse);
        return disksCollide(pod, pods) ? solvable(MISFIT.diskInUse) : undefined;
      },
    };
  },
};

/** True when a Pod uses a disk that another Pod keeps to itself. */
export function disksCollide(pod: StoredPod, others: readonly StoredPod[]): boolean {
  const disks = disksOf(pod);
  if (disks.length === 0) return false;
  const held = others.flatMap(disksOf);
  return disks.some((disk) => held.some((other) => collides(disk, other)));
}

/** The names of the claims of a Pod's volumes. For ephemeral volumes podrun makes no claim. */
export function claimNames({ spec }: StoredPod): string[] {
  return (spec.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? []);
}

/** A disk that one Pod of a node may write, or several may read. */
interface Disk {
  readonly id: string;
  readonly isReadOnly: boolean;
  /** Pods of a node may read the disk together. */
  readonly isShareable: boolean;
}

function disksOf({ spec }: StoredPod): Disk[] {
  return (spec.volumes ?? []).flatMap((volume) => diskOf(volume) ?? []);
}

function diskOf({ gcePersistentDisk: gce, awsElasticBlockStore: aws, ...volume }: Volume): Disk | undefined {
  if (gce !== undefined) return { id: `gce/${gce.pdName}`, isReadOnly: gce.readOnly === true, isShareable: true };
  if (aws !== undefined) return { id: `aws/${aws.volumeID}`, isReadOnly: false, isShareable: false };
  const iscsi = volume.iscsi as { iqn?: string; readOnly?: boolean } | undefined;
  if (iscsi !== undefined) return { id: `iscsi/${iscsi.iqn}`, isReadOnly: iscsi.readOnly === true, isShareable: true };
  return undefined;
}

function collides(disk: Disk, other: Disk): boolean {
  return disk.id === other.id && !(disk.isShareable && disk.isReadOnly && other.isReadOnly);
}
