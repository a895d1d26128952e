import { resolve } from 'node:path';
import { DEFAULT_IMAGE_SETTINGS, type ImageSettings } from '../../lifecycle/images/settings.ts';
import type { RegistrySettings } from '../../lifecycle/images/types.ts';
import type { ConfigNode } from './config-node.ts';

/** The fields of podrun.yaml for images. But for `registries` they are those of a kubelet. */
export const IMAGE_FIELDS = [
  'maxParallelImagePulls',
  'registries',
  'registryBurst',
  'registryPullQPS',
  'serializeImagePulls',
] as const;

type Fields = Partial<Record<(typeof IMAGE_FIELDS)[number], ConfigNode>>;

const CONTRADICTION =
  'maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls (--serialize-image-pulls) ' +
  'is set to false';

const REGISTRY_FIELDS = ['plainHttp', 'insecureSkipTlsVerify', 'caFile', 'certFile', 'keyFile', 'mirrors'] as const;

/**
 * Reads the settings for images. Source: pkg/kubelet/apis/config/v1beta1/defaults.go, validation/validation.go.
 * @param folder the folder of podrun.yaml, from which relative paths start
 * @throws {PodrunError} for a value of another form, and for settings that contradict each other
 */
export function readImageSettings(fields: Fields, folder: string): ImageSettings {
  const { registries, registryBurst, registryPullQPS } = fields;
  return {
    parallelPulls: readParallelPulls(fields),
    pullQps: registryPullQPS === undefined ? DEFAULT_IMAGE_SETTINGS.pullQps : readAmount(registryPullQPS),
    pullBurst: registryBurst === undefined ? DEFAULT_IMAGE_SETTINGS.pullBurst : readAmount(registryBurst),
    registries: Object.fromEntries(
      registries?.entries().map(([host, node]) => [host, readRegistry(host, node, folder)]) ?? [],
    ),
  };
}

/** Pulls are serial unless there may be several at a time. */
function readParallelPulls({ serializeImagePulls, maxParallelImagePulls }: Fields): number | undefined {
  const most = maxParallelImagePulls && readAmount(maxParallelImagePulls);
  if (most !== undefined && most < 1) maxParallelImagePulls?.fail('must be a positive number');
  const isSerial = serializeImagePulls === undefined ? (most ?? 1) === 1 : readFlag(serializeImagePulls);
  if (isSerial && (most ?? 1) > 1) {
    maxParallelImagePulls?.fail(CONTRADICTION);
  }
  return isSerial ? 1 : most;
}

function readRegistry(host: string, node: ConfigNode, folder: string): RegistrySettings {
  if (!/^[\w.[\]:-]+$/.test(host)) node.failAtKey('the key is no host, such as ghcr.io or 127.0.0.1:5000');
  const { plainHttp, insecureSkipTlsVerify, mirrors, ...files } = node.fields(REGISTRY_FIELDS);
  const file = (name: 'caFile' | 'certFile' | 'keyFile'): string | undefined => {
    const path = files[name]?.text();
    return path === undefined ? undefined : resolve(folder, path);
  };
  return {
    plainHttp: plainHttp !== undefined && readFlag(plainHttp),
    insecureSkipTlsVerify: insecureSkipTlsVerify !== undefined && readFlag(insecureSkipTlsVerify),
    caFile: file('caFile'),
    certFile: file('certFile'),
    keyFile: file('keyFile'),
    mirrors: mirrors?.texts() ?? [],
  };
}

/** Reads true or false. @throws {PodrunError} for anything else */
export function readFlag(node: ConfigNode): boolean {
  const text = node.text();
  return text === 'true' || (text !== 'false' && node.fail('must be true or false'));
}

function readAmount(node: ConfigNode): number {
  const text = node.text();
  return /^\d{1,9}$/.test(text) ? Number(text) : node.fail('must not be a negative number, and must be a whole one');
}
