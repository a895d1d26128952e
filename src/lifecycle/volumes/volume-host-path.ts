import { parseQuantity, type PodSpec, type Volume } from '../../api/index.ts';
import type { NodeFacts } from '../base/node-facts.ts';
import { podMemoryLimit } from '../node/container-limits.ts';
import { hostPathMismatch, invalidHostPathType } from '../texts/config-errors.ts';

/** The kind of file at a path of the host, links followed. */
export type FileKind = 'directory' | 'file' | 'socket' | 'character device' | 'block device' | 'other';

interface PathType {
  readonly kind: FileKind;
  /** The kubelet's name for a missing file of this kind. */
  readonly name: string;
  readonly isMadeWhenMissing?: true;
}

/** The types of a hostPath volume. Source: pkg/volume/hostpath/host_path.go checkTypeInternal. */
const TYPES: ReadonlyMap<string, PathType> = new Map<string, PathType>([
  ['DirectoryOrCreate', { kind: 'directory', name: 'directory', isMadeWhenMissing: true }],
  ['Directory', { kind: 'directory', name: 'directory' }],
  ['FileOrCreate', { kind: 'file', name: 'file', isMadeWhenMissing: true }],
  ['File', { kind: 'file', name: 'file' }],
  ['Socket', { kind: 'socket', name: 'socket file' }],
  ['CharDevice', { kind: 'character device', name: 'character device' }],
  ['BlockDevice', { kind: 'block device', name: 'block device' }],
]);

type HostPathVerdict =
  | { readonly type: 'fine' }
  /** `isOfRuntime`: a container runtime makes it, which the manifest does not ask for. */
  | { readonly type: 'make'; readonly kind: 'directory' | 'file'; readonly isOfRuntime?: true }
  | { readonly type: 'failed'; readonly message: string };

/**
 * Checks whether a hostPath volume can be used. Without a type, the container runtime makes a missing folder. A
 * relative path would be below the root of a node. Source: containerd, internal/cri/opts WithMounts.
 * @param existing the kind of file at the path; undefined: no file
 */
export function judgeHostPath(path: string, type: string | undefined, existing: FileKind | undefined): HostPathVerdict {
  const isUntyped = type === undefined || type === '';
  const wanted = TYPES.get(isUntyped ? 'Directory' : type);
  if (wanted !== undefined && !path.startsWith('/'))
    return { type: 'failed', message: hostPathMismatch(path, wanted.name) };
  if (isUntyped)
    return existing === undefined ? { type: 'make', kind: 'directory', isOfRuntime: true } : { type: 'fine' };
  if (wanted === undefined) return { type: 'failed', message: invalidHostPathType(type) };
  const { kind, name, isMadeWhenMissing } = wanted;
  if (existing === kind) return { type: 'fine' };
  if (existing === undefined && isMadeWhenMissing)
    return { type: 'make', kind: kind === 'file' ? 'file' : 'directory' };
  return { type: 'failed', message: hostPathMismatch(path, name) };
}

/** The largest size of a Secret. Source: pkg/apis/core/types.go MaxSecretSize. */
const SECRETS_BYTES = 1024 * 1024;
/** The default size of an emptyDir in memory without a limit. podrun's own choice. */
const MEMORY_BYTES = 256 * 1024 * 1024;
const NANO = 1_000_000_000n;

/**
 * The memory of a volume that must not be on a disk, in bytes. Undefined for other volumes. Source: pkg/volume/secret,
 * pkg/volume/projected: wrappedVolumeSpec; pkg/volume/emptydir.
 */
export function memoryWanted(volume: Volume): number | undefined {
  if (holdsSecrets(volume)) return SECRETS_BYTES;
  if (volume.emptyDir?.medium !== 'Memory') return undefined;
  const limit = bytesOf(volume.emptyDir.sizeLimit ?? '0');
  return limit > 0 ? limit : MEMORY_BYTES;
}

/**
 * The size of the file system of an emptyDir in memory, in bytes: the smallest of its own limit, the Pod's memory limit
 * and the memory for Pods. Source: pkg/volume/emptydir/empty_dir.go calculateEmptyDirMemorySize.
 */
export function memoryVolumeSize({ emptyDir }: Volume, spec: PodSpec, { allocatable }: NodeFacts): number {
  const sizes = [emptyDir?.sizeLimit, allocatable['memory']].map((text) => bytesOf(text ?? '0'));
  return Math.min(...[...sizes, podMemoryLimit(spec) ?? 0].filter((bytes) => bytes > 0));
}

function bytesOf(quantity: string): number {
  return Number(parseQuantity(quantity).nano / NANO);
}

/** True when a volume of the Pod must not be on a disk. */
export function usesMemory({ volumes = [] }: PodSpec): boolean {
  return volumes.some((volume) => memoryWanted(volume) !== undefined);
}

/** True when the volume contains a Secret or a token. */
function holdsSecrets({ secret, projected }: Volume): boolean {
  const sources = projected?.sources ?? [];
  return (
    secret !== undefined ||
    sources.some((source) => source.secret !== undefined || source.serviceAccountToken !== undefined)
  );
}
