import type { ImageConfig, ImageRunConfig } from '../lifecycle/images/types.ts';
import { PullError } from './registry/pull-error.ts';

const DIFF_ID = /^sha256:[0-9a-f]{64}$/;

/**
 * Reads the configuration of an image.
 * @throws {PullError} when it names no layers, or a value has a wrong type
 */
export function parseConfig(bytes: Buffer): ImageConfig {
  let config: Partial<ImageConfig> | null;
  try {
    config = JSON.parse(bytes.toString('utf8')) as Partial<ImageConfig> | null;
  } catch (error) {
    throw new PullError(`the configuration of the image is damaged: ${(error as Error).message}`);
  }
  const ids: unknown = config?.rootfs?.diff_ids;
  if (!isList(ids) || !ids.every((id) => DIFF_ID.test(id))) {
    throw new PullError('the configuration of the image names no layers');
  }
  const run: unknown = config?.config ?? {};
  if (typeof run !== 'object' || Array.isArray(run)) throw wrongType('config');
  const wrong = Object.entries(RUN_TYPES).find(([field, isRight]) => {
    const value = (run as Record<string, unknown>)[field];
    return value !== undefined && value !== null && !isRight(value);
  });
  if (wrong !== undefined) throw wrongType(`config.${wrong[0]}`);
  return config as ImageConfig;
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isList = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

/** The check of each field that podrun reads. */
const RUN_TYPES: Readonly<Record<Exclude<keyof ImageRunConfig, 'Labels'>, (value: unknown) => boolean>> = {
  User: isText,
  Env: isList,
  Entrypoint: isList,
  Cmd: isList,
  WorkingDir: isText,
  StopSignal: isText,
};

function wrongType(field: string): PullError {
  return new PullError(`the configuration of the image is damaged: ${field} has a wrong type`);
}
