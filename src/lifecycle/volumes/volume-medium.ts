import { parseQuantity, type PodSpec, type Volume } from '../../api/index.ts';

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
  const limit = Number(parseQuantity(volume.emptyDir.sizeLimit ?? '0').nano / NANO);
  return limit > 0 ? limit : MEMORY_BYTES;
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
