import type { PodSpec, Volume } from '../../api/generated/types.ts';
import { parseQuantity } from '../../api/quantity.ts';

/** A Secret is not larger. Source: pkg/apis/core/types.go MaxSecretSize. */
const SECRETS_BYTES = 1024 * 1024;
/** Room that an emptyDir in memory wants at least when it names no limit. podrun's own. */
const MEMORY_BYTES = 256 * 1024 * 1024;
const NANO = 1_000_000_000n;

/**
 * How much memory a volume wants that is not to be on a disk; undefined for the others. Bytes.
 * Source: pkg/volume/secret, pkg/volume/projected: wrappedVolumeSpec; pkg/volume/emptydir.
 */
export function memoryWanted(volume: Volume): number | undefined {
  if (holdsSecrets(volume)) return SECRETS_BYTES;
  if (volume.emptyDir?.medium !== 'Memory') return undefined;
  const limit = Number(parseQuantity(volume.emptyDir.sizeLimit ?? '0').nano / NANO);
  return limit > 0 ? limit : MEMORY_BYTES;
}

/** Are any of the Pod's volumes not to be on a disk? */
export function usesMemory({ volumes = [] }: PodSpec): boolean {
  return volumes.some((volume) => memoryWanted(volume) !== undefined);
}

/** Is it made of what nobody else may read? */
function holdsSecrets({ secret, projected }: Volume): boolean {
  const sources = projected?.sources ?? [];
  return (
    secret !== undefined || sources.some((one) => one.secret !== undefined || one.serviceAccountToken !== undefined)
  );
}
