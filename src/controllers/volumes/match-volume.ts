import { compareQuantities, matchesSelector, type StoredClaim, type StoredVolume } from '../../api/index.ts';
import { isMeantFor, sizeOfVolume, volumeMismatch } from '../../lifecycle/index.ts';

/**
 * The volume for a claim: one that is meant for it, else the smallest that is large enough, of those with the fewest
 * access modes. Undefined: none fits. Source: pkg/volume/util, FindMatchingVolume, and
 * pkg/controller/volume/persistentvolume/index.go.
 * @param isLate true for a claim that waits for its first Pod: the scheduler chooses among volumes for all claims
 */
export function findVolume(
  claim: StoredClaim,
  volumes: readonly StoredVolume[],
  isLate = false,
): StoredVolume | undefined {
  const fitting = volumes.filter(
    (volume) => volume.metadata.deletionTimestamp === undefined && volumeMismatch(claim, volume) === undefined,
  );
  const meant = fitting.find((volume) => isMeantFor(volume, claim));
  if (meant !== undefined || isLate) return meant;
  const { selector = {} } = claim.spec;
  const [best] = fitting
    .filter(({ metadata, spec }) => spec.claimRef === undefined && matchesSelector(selector, metadata.labels))
    .toSorted(
      (one, other) => modesOf(one) - modesOf(other) || compareQuantities(sizeOfVolume(one), sizeOfVolume(other)),
    );
  return best;
}

const modesOf = ({ spec }: StoredVolume): number => spec.accessModes?.length ?? 0;
