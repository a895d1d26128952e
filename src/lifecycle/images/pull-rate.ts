import type { ImageSettings } from './settings.ts';

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
