import type { StoredPod } from '../../../api/index.ts';
import { CLAIM, MISFIT } from '../../texts/scheduling.ts';
import { final, type FilterPlugin, PASSES, solvable } from '../base/plugin.ts';
import type { SchedulingNode, Snapshot } from '../base/snapshot.ts';
import { labelOf } from './topology-spread.ts';
import { claimsOf, volumeOf } from './volume-binding.ts';

/** Labels of zones and regions: of today, and as they were called before. */
const TOPOLOGY_LABELS = [
  ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'],
  ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'],
] as const;

/** Separates the zones of a volume that several zones reach. */
const ZONE_SEPARATOR = '__';

/**
 * Keeps Pods in the zones and regions of their volumes. A node without any of these labels passes. Source:
 * pkg/scheduler/framework/plugins/volumezone/volume_zone.go.
 */
export const volumeZone: FilterPlugin = {
  name: 'VolumeZone',
  prepare: (pod, snapshot) => {
    const names = claimsOf(pod, snapshot).flatMap(({ spec }) => spec.volumeName || []);
    const missing = names.find((name) => snapshot.volume(name) === undefined);
    if (missing !== undefined) return { type: 'rejects', reasons: [CLAIM.noVolume(missing)] };
    const places = names
      .flatMap((name) => Object.entries(snapshot.volume(name)?.metadata.labels ?? {}))
      .flatMap(([key, value]) => {
        const keys = TOPOLOGY_LABELS.find((pair) => (pair as readonly string[]).includes(key));
        return keys === undefined ? [] : [{ keys, zones: value.split(ZONE_SEPARATOR) }];
      });
    if (places.length === 0) return PASSES;
    const isIn = (node: SchedulingNode, keys: readonly string[], zones: readonly string[]): boolean =>
      keys.some((key) => zones.includes(labelOf(node, key) ?? '\0'));
    return {
      type: 'filters',
      filter: ({ node }) => {
        const hasAny = TOPOLOGY_LABELS.flat().some((key) => labelOf(node, key) !== undefined);
        if (!hasAny || places.every(({ keys, zones }) => isIn(node, keys, zones))) return undefined;
        return final(MISFIT.volumeZone);
      },
    };
  },
};

/**
 * Counts the volumes of CSI drivers that a node can attach. A volume that several Pods of the node use counts once.
 * Source: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go.
 */
export const nodeVolumeLimits: FilterPlugin = {
  name: 'NodeVolumeLimits',
  prepare: (pod, snapshot) => {
    const wanted = attachedVolumes(pod, snapshot);
    if (wanted.length === 0) return PASSES;
    return {
      type: 'filters',
      filter: ({ node: { volumeLimits }, pods }) => {
        if (volumeLimits === undefined) return undefined;
        const held = new Map(pods.flatMap((other) => attachedVolumes(other, snapshot)).map((each) => [each.id, each]));
        const isOver = [...volumeLimits].some(([driver, limit]) => {
          const added = wanted.filter((each) => each.driver === driver && !held.has(each.id));
          const present = [...held.values()].filter((each) => each.driver === driver);
          return added.length > 0 && present.length + added.length > limit;
        });
        return isOver ? solvable(MISFIT.volumeLimit) : undefined;
      },
    };
  },
};

interface AttachedVolume {
  readonly driver: string;
  readonly id: string;
}

/** The volumes of CSI drivers that a Pod uses. One that is still to be made counts by its claim. */
function attachedVolumes(pod: StoredPod, snapshot: Snapshot): AttachedVolume[] {
  return claimsOf(pod, snapshot).flatMap((claim) => {
    const {
      metadata: { namespace, name },
      spec,
    } = claim;
    const csi = volumeOf(claim, snapshot)?.spec.csi;
    if (csi !== undefined) return [{ driver: csi.driver, id: `${csi.driver}/${csi.volumeHandle}` }];
    const provisioner = spec.volumeName ? undefined : snapshot.storageClass(spec.storageClassName ?? '')?.provisioner;
    return provisioner === undefined ? [] : [{ driver: provisioner, id: `${provisioner}/${namespace}/${name}` }];
  });
}
