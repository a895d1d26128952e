import { goQuote, labelMessages, parseQuantity, subdomainMessages, type Volume } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, duplicate, type FieldError, forbidden, invalid, item, required } from '../base/field-error.ts';
import { descendingPath, noBacksteps, oneOfIfSet, requiredOneOf, requiredText, requiredWellFormed } from './checks.ts';
import { validateClaimTemplate } from './claim.ts';
import { validateConfigFiles, validateDownwardFiles, validateProjected } from './volume-files.ts';
import { REMOTE_CHECKS, type Source, type SourceChecks, type SourceField, type VolumeRules } from './volume-remote.ts';

/** Volumes without a mistake, by name: containers can mount these. */
export type Volumes = ReadonlyMap<string, Decoded<Volume>>;

export const PULL_POLICIES: readonly string[] = ['Always', 'IfNotPresent', 'Never'];
const HOST_PATH_TYPES: readonly string[] = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

const CHECKS: SourceChecks = {
  ...REMOTE_CHECKS,
  emptyDir: validateEmptyDir,
  hostPath: validateHostPath,
  gitRepo: (path, source) => [
    ...requiredText(child(path, 'repository'), source.repository),
    ...descendingPath(child(path, 'directory'), source.directory ?? ''),
  ],
  secret: (path, source) => [
    ...requiredText(child(path, 'secretName'), source.secretName),
    ...validateConfigFiles(path, source),
  ],
  configMap: (path, source) => [
    ...requiredText(child(path, 'name'), source.name),
    ...validateConfigFiles(path, source),
  ],
  downwardAPI: validateDownwardFiles,
  projected: validateProjected,
  persistentVolumeClaim: (path, source) => requiredText(child(path, 'claimName'), source.claimName),
  ephemeral: validateEphemeral,
  image: (path, source, { isPod }) => [
    ...(isPod ? requiredText(child(path, 'reference'), source.reference) : []),
    ...requiredOneOf(child(path, 'pullPolicy'), source.pullPolicy, PULL_POLICIES),
  ],
};

/** The order in which the API looks at the sources. The first of several counts. */
const ORDER: readonly SourceField[] = [
  ...(['emptyDir', 'hostPath', 'gitRepo', 'gcePersistentDisk', 'awsElasticBlockStore', 'secret', 'nfs'] as const),
  ...(['iscsi', 'glusterfs', 'flocker', 'persistentVolumeClaim', 'rbd', 'cinder', 'cephfs', 'quobyte'] as const),
  ...(['downwardAPI', 'fc', 'flexVolume', 'configMap', 'azureFile', 'vsphereVolume'] as const),
  ...(['photonPersistentDisk', 'portworxVolume', 'azureDisk', 'storageos', 'projected', 'scaleIO'] as const),
  ...(['csi', 'ephemeral', 'image'] as const),
];

/** Spelling mistakes of upstream: the names in messages about a second source, and about mistakes inside a source. */
const SECOND_NAMES: Readonly<Partial<Record<SourceField, string>>> = { downwardAPI: 'downwarAPI', cephfs: 'cephFS' };
const INNER_NAMES: Readonly<Partial<Record<SourceField, string>>> = { gcePersistentDisk: 'persistentDisk' };

/**
 * Validates the volumes of a Pod. Returns the volumes without a mistake: mounts of any other volume are reported as not
 * found. Source: pkg/apis/core/validation/validation.go, ValidateVolumes.
 */
export function validateVolumes(
  path: string,
  volumes: readonly Decoded<Volume>[],
  { isPod, podName }: Pick<VolumeRules, 'isPod' | 'podName'>,
): { errors: FieldError[]; usable: Volumes } {
  const usable = new Map<string, Decoded<Volume>>();
  const ownClaims = new Set(volumes.filter(({ ephemeral }) => ephemeral).map(({ name = '' }) => `${podName}-${name}`));
  const errors = volumes.flatMap((volume, index) => {
    const at = item(path, index);
    const { name = '', persistentVolumeClaim: claim } = volume;
    const own = [
      ...validateSource(at, volume, { isPod, podName, volumeName: name }),
      ...requiredWellFormed(child(at, 'name'), name, labelMessages),
      ...(usable.has(name) ? [duplicate(child(at, 'name'), name)] : []),
    ];
    if (own.length === 0) usable.set(name, volume);
    if (!podName || !claim?.claimName || !ownClaims.has(claim.claimName)) return own;
    const text = 'must not reference a PVC that gets created for an ephemeral volume';
    return [...own, invalid(child(at, 'persistentVolumeClaim', 'claimName'), claim.claimName, text)];
  });
  return { errors, usable };
}

function validateSource(path: string, volume: Decoded<Volume>, rules: VolumeRules): FieldError[] {
  const [first, ...others] = ORDER.filter((field) => volume[field] !== undefined);
  if (first === undefined) return [required(path, 'must specify a volume type')];
  // The table has the right rule for each field, but TypeScript cannot relate the two.
  const check = CHECKS[first] as (
    path: string,
    source: Decoded<Volume>[SourceField],
    rules: VolumeRules,
  ) => FieldError[];
  return [
    ...check(child(path, INNER_NAMES[first] ?? first), volume[first], rules),
    ...others.map((field) =>
      forbidden(child(path, SECOND_NAMES[field] ?? field), 'may not specify more than 1 volume type'),
    ),
  ];
}

function validateEmptyDir(path: string, { sizeLimit }: Source<'emptyDir'>): FieldError[] {
  if (sizeLimit === undefined || parseQuantity(sizeLimit).nano >= 0n) return [];
  return [forbidden(child(path, 'sizeLimit'), 'SizeLimit field must be a valid resource quantity')];
}

export function validateHostPath(path: string, { path: folder, type }: Source<'hostPath'>): FieldError[] {
  if (!folder) return [required(child(path, 'path'))];
  return [...noBacksteps(child(path, 'path'), folder), ...oneOfIfSet(child(path, 'type'), type, HOST_PATH_TYPES)];
}

/** Validates an ephemeral volume. Its claim is named after Pod and volume, so both together must be a valid name. */
function validateEphemeral(path: string, source: Source<'ephemeral'>, rules: VolumeRules): FieldError[] {
  const { volumeClaimTemplate: template } = source;
  const templatePath = child(path, 'volumeClaimTemplate');
  const errors = template ? validateClaimTemplate(templatePath, template) : [required(templatePath)];
  const { podName, volumeName } = rules;
  if (!podName || !volumeName) return errors;
  const claimName = `${podName}-${volumeName}`;
  const namePath = path.replace(/\.ephemeral$/, '.name');
  const messages = subdomainMessages(claimName).map((message) => `PVC name ${goQuote(claimName)}: ${message}`);
  return [...errors, ...messages.map((message) => invalid(namePath, volumeName, message))];
}
