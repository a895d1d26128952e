import type { ImageConfig } from '../lifecycle/images/types.ts';
import { PullError } from './registry/pull-error.ts';

const DIFF_ID = /^sha256:[0-9a-f]{64}$/;

/**
 * Reads the configuration of an image.
 * @throws {PullError} when it names no layers
 */
export function parseConfig(bytes: Buffer): ImageConfig {
  let config: Partial<ImageConfig> | null;
  try {
    config = JSON.parse(bytes.toString('utf8')) as Partial<ImageConfig> | null;
  } catch (error) {
    throw new PullError(`the configuration of the image is damaged: ${(error as Error).message}`);
  }
  const ids: unknown = config?.rootfs?.diff_ids;
  if (Array.isArray(ids) && ids.every((id) => typeof id === 'string' && DIFF_ID.test(id))) return config as ImageConfig;
  throw new PullError('the configuration of the image names no layers');
}
