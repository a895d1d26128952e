import { parseJson } from '../../api/index.ts';
import type { ImageConfig, ImageRunConfig } from '../../lifecycle/index.ts';
import { PullError } from '../registry/pull-error.ts';

const DIFF_ID = /^sha256:[0-9a-f]{64}$/;

/**
 * Reads the configuration of an image.
 * @throws {PullError} when it names no layers, or a value has a wrong type
 */
export function parseConfig(bytes: Buffer): ImageConfig {
  let config: Partial<ImageConfig> | null;
  try {
    config = parseJson(bytes) as Partial<ImageConfig> | null;
  } catch (error) {
    throw new PullError(`the configuration of the image is damaged: ${(error as Error).message}`);
  }
  const ids: unknown = config?.rootfs?.diff_ids;
  if (!isList(ids) || !ids.every((id) => DIFF_ID.test(id))) {
    throw new PullError('the configuration of the image names no layers');
  }
  const layers = new Set(ids).size;
  if (layers > LAYERS_MAX) {
    throw new PullError(`the image has ${layers} layers, and overlayfs takes no more than ${LAYERS_MAX}`);
  }
  checkFields(config as Fields, OWN_TYPES, '');
  const run: unknown = config?.config ?? {};
  if (typeof run !== 'object' || Array.isArray(run)) throw wrongType('config');
  checkFields(run as Fields, RUN_TYPES, 'config.');
  return config as ImageConfig;
}

/** The layers of a mount. Source: linux fs/overlayfs/params.h OVL_MAX_STACK. */
const LAYERS_MAX = 500;

type Fields = Readonly<Record<string, unknown>>;
type Types = Readonly<Record<string, (value: unknown) => boolean>>;

/** @throws {PullError} for the first field with a value of another type. Docker writes null for what is empty. */
function checkFields(fields: Fields, types: Types, prefix: string): void {
  for (const [field, isRight] of Object.entries(types)) {
    const value = fields[field];
    if (value !== undefined && value !== null && !isRight(value)) throw wrongType(`${prefix}${field}`);
  }
}

const isText = (value: unknown): boolean => typeof value === 'string';
const isList = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

const isTexts = (value: unknown): boolean =>
  typeof value === 'object' && !Array.isArray(value) && Object.values(value ?? {}).every(isText);

/** The check of each field that podrun reads. */
const OWN_TYPES: Readonly<Record<Exclude<keyof ImageConfig, 'config' | 'rootfs'>, (value: unknown) => boolean>> = {
  architecture: isText,
  os: isText,
  variant: isText,
  created: isText,
};
const RUN_TYPES: Readonly<Record<keyof ImageRunConfig, (value: unknown) => boolean>> = {
  User: isText,
  Env: isList,
  Entrypoint: isList,
  Cmd: isList,
  WorkingDir: isText,
  StopSignal: isText,
  Volumes: (value) => typeof value === 'object' && !Array.isArray(value),
  Labels: isTexts,
};

function wrongType(field: string): PullError {
  return new PullError(`the configuration of the image is damaged: ${field} has a wrong type`);
}
