import type { RegistrySettings } from '../base/image-types.ts';
import type { VerificationRules } from './access.ts';

/** The settings of podrun.yaml, and the flags, for images. Plain data. */
export interface ImageSettings {
  /** The pulls at the same time. Undefined: any number. */
  readonly parallelPulls: number | undefined;
  /** Pulls per second. 0: any number. */
  readonly pullQps: number;
  /** Pulls at once that `pullQps` permits after a pause. */
  readonly pullBurst: number;
  /** True: each start of a container asks the registry, so that only who may pull an image can use it. */
  readonly alwaysPull: boolean;
  readonly verification: VerificationRules;
  readonly garbage: ImageGarbageSettings;
  readonly registries: Readonly<Record<string, RegistrySettings>>;
  /** Programs that have credentials. */
  readonly providers: readonly CredentialProvider[];
}

/** The rules for the removal of unused images. Source: kubelet.config v1beta1 KubeletConfiguration. */
export interface ImageGarbageSettings {
  /** A younger image stays. */
  readonly minimumAgeMs: number;
  /** An image that was not used for longer goes. 0: age is no reason. */
  readonly maximumAgeMs: number;
  /** The usage of the disk above which images go. 100: usage is no reason. */
  readonly highPercent: number;
  /** The usage down to which images go. */
  readonly lowPercent: number;
}

/** A credential provider plugin of a kubelet. Source: kubelet.config.k8s.io/v1 CredentialProvider. */
export interface CredentialProvider {
  /** The absolute path. */
  readonly program: string;
  readonly apiVersion: string;
  /** The images to ask it for: keys of a keyring. */
  readonly matchImages: readonly string[];
  /** The time for which its answer is kept, where the answer does not say. */
  readonly defaultCacheMs: number;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const HOUR_MS = 3_600_000;

/** Source: pkg/kubelet/apis/config/v1beta1/defaults.go. podrun's own: the maximum age, which is off on a node. */
export const DEFAULT_IMAGE_SETTINGS: ImageSettings = {
  parallelPulls: 1,
  pullQps: 5,
  pullBurst: 10,
  alwaysPull: false,
  verification: { policy: 'NeverVerifyPreloadedImages', allowlist: [] },
  garbage: { minimumAgeMs: 120_000, maximumAgeMs: 720 * HOUR_MS, highPercent: 85, lowPercent: 80 },
  registries: {},
  providers: [],
};

/** The pulls that may begin now, and the time of this count. */
export interface PullRate {
  readonly tokens: number;
  readonly atMs: number;
}

/**
 * Takes a pull from the rate. Undefined: the rate is exceeded. Source: pkg/kubelet/images/helpers.go,
 * throttleImagePulling.
 * @param rate undefined: nothing was pulled yet
 */
export function takePull(
  rate: PullRate | undefined,
  { pullQps, pullBurst }: Pick<ImageSettings, 'pullQps' | 'pullBurst'>,
  nowMs: number,
): PullRate | undefined {
  if (pullQps === 0) return { tokens: pullBurst, atMs: nowMs };
  const grown = rate === undefined ? pullBurst : rate.tokens + ((nowMs - rate.atMs) / 1000) * pullQps;
  const tokens = Math.min(pullBurst, grown) - 1;
  return tokens < 0 ? undefined : { tokens, atMs: nowMs };
}

/** An image, and what decides whether it may go. */
export interface AgedImage {
  readonly name: string;
  readonly pulledAtMs: number;
  readonly lastUsedAtMs: number;
  readonly isInUse: boolean;
}

/**
 * The images to remove because they have been unused for too long. Source: pkg/kubelet/images/image_gc_manager.go
 * freeOldImages.
 */
export function outdatedImages<T extends AgedImage>(
  images: readonly T[],
  { maximumAgeMs }: Pick<ImageGarbageSettings, 'maximumAgeMs'>,
  nowMs: number,
): T[] {
  if (maximumAgeMs === 0) return [];
  return leastUsed(images).filter(({ lastUsedAtMs }) => nowMs - lastUsedAtMs > maximumAgeMs);
}

/**
 * The images that go while the disk is too full, in the order in which they go. Source: pkg/kubelet/images/
 * image_gc_manager.go freeSpace.
 */
export function removableImages<T extends AgedImage>(
  images: readonly T[],
  { minimumAgeMs }: Pick<ImageGarbageSettings, 'minimumAgeMs'>,
  nowMs: number,
): T[] {
  return leastUsed(images).filter(({ pulledAtMs }) => nowMs - pulledAtMs >= minimumAgeMs);
}

/** The unused images, the least recently used first; among equals the oldest first. */
function leastUsed<T extends AgedImage>(images: readonly T[]): T[] {
  return images
    .filter(({ isInUse }) => !isInUse)
    .toSorted((a, b) => a.lastUsedAtMs - b.lastUsedAtMs || a.pulledAtMs - b.pulledAtMs);
}
