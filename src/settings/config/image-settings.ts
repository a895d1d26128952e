import { resolve } from 'node:path';
import { fullImageName, parseDuration } from '../../api/index.ts';
import {
  DEFAULT_IMAGE_SETTINGS,
  type ImageGarbageSettings,
  type ImageSettings,
  type RegistrySettings,
  VERIFICATION_POLICIES,
  type VerificationRules,
} from '../../lifecycle/index.ts';
import { quietly } from '../../quietly.ts';
import type { ConfigNode } from './config-node.ts';

/** The fields of podrun.yaml for images. All but `registries` are named as in a KubeletConfiguration. */
export const IMAGE_FIELDS = [
  'alwaysPullImages',
  'imageGCHighThresholdPercent',
  'imageGCLowThresholdPercent',
  'imageMaximumGCAge',
  'imageMinimumGCAge',
  'imagePullCredentialsVerificationPolicy',
  'maxParallelImagePulls',
  'preloadedImagesVerificationAllowlist',
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
  const { alwaysPullImages, registries, registryBurst, registryPullQPS } = fields;
  return {
    alwaysPull: alwaysPullImages !== undefined && readFlag(alwaysPullImages),
    verification: readVerification(fields),
    garbage: readGarbage(fields),
    providers: [],
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

function readVerification(fields: Fields): VerificationRules {
  const { imagePullCredentialsVerificationPolicy: node, preloadedImagesVerificationAllowlist: list } = fields;
  const wanted = node?.text();
  const policy = VERIFICATION_POLICIES.find((each) => each === wanted);
  if (node !== undefined && policy === undefined) node.fail(`must be one of ${VERIFICATION_POLICIES.join(', ')}`);
  const allowlist = list?.texts() ?? [];
  if (list !== undefined && policy !== 'NeverVerifyAllowlistedImages') {
    list.fail('can only be set if imagePullCredentialsVerificationPolicy is NeverVerifyAllowlistedImages');
  }
  const wrong = allowlist.find((entry) => !isAllowlistEntry(entry));
  if (wrong !== undefined) list?.fail(`${JSON.stringify(wrong)} is no repository and no PREFIX/*`);
  return { policy: policy ?? DEFAULT_IMAGE_SETTINGS.verification.policy, allowlist };
}

/** A repository without tag and digest, or a part of its path and an asterisk. */
function isAllowlistEntry(entry: string): boolean {
  const name = entry.replace(/\/\*$/, '');
  return /^[\w.-]+(:\d+)?(\/[a-z0-9._-]+)*$/.test(name) && fullImageName(`${name}/x`) !== undefined;
}

function readGarbage(fields: Fields): ImageGarbageSettings {
  const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = fields;
  const { imageMinimumGCAge: minimum, imageMaximumGCAge: maximum } = fields;
  const { garbage } = DEFAULT_IMAGE_SETTINGS;
  const highPercent = high === undefined ? garbage.highPercent : readPercent(high);
  const lowPercent = low === undefined ? garbage.lowPercent : readPercent(low);
  if (lowPercent >= highPercent) {
    (low ?? high)?.fail(`${lowPercent} must be less than imageGCHighThresholdPercent, which is ${highPercent}`);
  }
  const minimumAgeMs = minimum === undefined ? garbage.minimumAgeMs : readAge(minimum);
  const maximumAgeMs = maximum === undefined ? garbage.maximumAgeMs : readAge(maximum);
  if (maximumAgeMs !== 0 && maximumAgeMs <= minimumAgeMs) {
    (maximum ?? minimum)?.fail('imageMaximumGCAge must be greater than imageMinimumGCAge');
  }
  return { minimumAgeMs, maximumAgeMs, highPercent, lowPercent };
}

function readPercent(node: ConfigNode): number {
  const text = node.text();
  return /^\d{1,3}$/.test(text) && Number(text) <= 100
    ? Number(text)
    : node.fail('must be between 0 and 100, inclusive');
}

function readAge(node: ConfigNode): number {
  const text = node.text();
  const milliseconds = text === '0' ? 0 : quietly(() => parseDuration(text));
  return milliseconds ?? node.fail('must be a duration such as 2m or 720h');
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
