import {
  effectiveResources,
  formatQuantity,
  type ParsedQuantity,
  parseQuantity,
  type PodSpec,
  type StoredPod,
  type Volume,
} from '../../api/index.ts';
import { isCritical } from '../node/priority.ts';
import { EVICTION } from '../texts/pod-reasons.ts';
import type { StorageUsage } from '../base/facts.ts';

/** Source: pkg/kubelet/eviction/eviction_manager.go immediateEvictionGracePeriodSeconds. */
export const EVICTION_GRACE_SECONDS = 1;

/**
 * The parts of a Pod to measure, by name. A measurement may stop at the given number of bytes: more is over every
 * limit.
 */
export interface StorageMeasures {
  readonly volumes: ReadonlyMap<string, number>;
  readonly logs: ReadonlyMap<string, number>;
  readonly layers: ReadonlyMap<string, number>;
}

const RESOURCE = 'ephemeral-storage';

/** The parts of a Pod to measure. Undefined: the Pod has no storage limits. */
export function storageMeasures(spec: PodSpec): StorageMeasures | undefined {
  const forPod = podLimit(spec);
  const volumes = new Map<string, number>();
  for (const volume of spec.volumes ?? []) {
    const limits = [sizeLimit(volume), isLocal(volume) ? forPod : undefined];
    const enough = largest(limits);
    if (enough !== undefined) volumes.set(volume.name, enough);
  }
  const containers = new Map<string, number>();
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    const enough = largest([forPod, containerLimit(spec, container.name)]);
    if (enough !== undefined) containers.set(container.name, enough);
  }
  return volumes.size + containers.size === 0 ? undefined : { volumes, logs: containers, layers: containers };
}

/**
 * The kubelet's message for the eviction of a Pod, trailing blank included. Undefined: the Pod keeps its limits. A
 * container is charged for its logs and its layer. Files that it writes to the machine itself are not charged. Source:
 * pkg/kubelet/eviction/eviction_manager.go localStorageEviction.
 */
export function evictionMessage(pod: StoredPod, usage: StorageUsage): string | undefined {
  const { spec } = pod;
  if (isCritical(pod)) return undefined;
  for (const volume of spec.volumes ?? []) {
    const limit = sizeLimit(volume);
    if (limit === undefined || !exceeds(usage.volumes[volume.name], limit)) continue;
    return EVICTION.emptyDir(volume.name, formatQuantity(limit));
  }
  const forPod = podLimit(spec);
  if (forPod !== undefined && exceeds(podUsage(spec, usage), forPod)) {
    return EVICTION.pod(formatQuantity(forPod));
  }
  for (const { name } of spec.containers) {
    const limit = containerLimit(spec, name);
    if (limit === undefined || !exceeds(containerUsage(name, usage), limit)) continue;
    return EVICTION.container(name, formatQuantity(limit));
  }
  return undefined;
}

/** The size limit of an emptyDir. Zero means no limit. */
function sizeLimit({ emptyDir }: Volume): ParsedQuantity | undefined {
  return positive(emptyDir?.sizeLimit);
}

/** The storage limit of the whole Pod: the effective limit of its containers. Undefined: no container names one. */
function podLimit(spec: PodSpec): ParsedQuantity | undefined {
  return effectiveResources(spec, 'limits').get(RESOURCE);
}

/** The storage limit of a regular container. Other containers have none. */
function containerLimit(spec: PodSpec, name: string): ParsedQuantity | undefined {
  return positive(spec.containers.find((container) => container.name === name)?.resources?.limits?.[RESOURCE]);
}

function positive(text: string | undefined): ParsedQuantity | undefined {
  if (text === undefined) return undefined;
  const quantity = parseQuantity(text);
  return quantity.nano > 0n ? quantity : undefined;
}

/** True when the volume counts towards the Pod's limit. Source: pkg/volume/util/util.go IsLocalEphemeralVolume. */
function isLocal({ emptyDir, configMap }: Volume): boolean {
  return configMap !== undefined || (emptyDir !== undefined && (emptyDir.medium ?? '') === '');
}

/**
 * The disk usage of a container. Undefined: not measured. Source: pkg/kubelet/eviction/eviction_manager.go
 * containerEphemeralStorageLimitEviction.
 */
function containerUsage(name: string, { logs, layers }: StorageUsage): number | undefined {
  const parts = [logs[name], layers[name]].filter((bytes) => bytes !== undefined);
  return parts.length === 0 ? undefined : parts.reduce((sum, bytes) => sum + bytes, 0);
}

function podUsage(spec: PodSpec, { volumes, logs, layers }: StorageUsage): number {
  const local = (spec.volumes ?? []).filter(isLocal).map(({ name }) => volumes[name] ?? 0);
  return [...local, ...Object.values(logs), ...Object.values(layers)].reduce((sum, bytes) => sum + bytes, 0);
}

function exceeds(bytes: number | undefined, limit: ParsedQuantity): boolean {
  return bytes !== undefined && BigInt(bytes) * NANO > limit.nano;
}

const NANO = 1_000_000_000n;

/** The largest limit in bytes. */
function largest(limits: ReadonlyArray<ParsedQuantity | undefined>): number | undefined {
  const bytes = limits.flatMap((limit) => (limit === undefined ? [] : [Number(limit.nano / NANO)]));
  return bytes.length === 0 ? undefined : Math.max(...bytes);
}
