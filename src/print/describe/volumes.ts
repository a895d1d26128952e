import {
  canonicalQuantity,
  compareQuantities,
  type DownwardAPIVolumeFile,
  type EmptyDirVolumeSource,
  type EphemeralVolumeSource,
  parseQuantity,
  type Volume,
  type VolumeProjection,
  ZERO_QUANTITY,
} from '../../api/index.ts';
import { sortedEntries } from '../text/labels.ts';
import { describeAnnotations, describeLabels, indent, line, shorten } from './lines.ts';

/** The description of a volume: its type, then lines at level 2. */
interface Description {
  readonly type: string;
  readonly lines: readonly string[];
}

type Describer = (volume: Volume) => Description | undefined;

/**
 * The line `Volumes:` and a block for each volume, or `<none>`.
 * @param margin stands in front of the title; in a template, kubectl indents the names by one blank more
 */
export function describeVolumes(volumes: readonly Volume[] | undefined, margin: string = ''): string[] {
  const title = `${margin}Volumes:`;
  if (!volumes || volumes.length === 0) return [line(0, title, '<none>')];
  const nameMargin = margin === '' ? '' : ' ';
  return [title, ...volumes.flatMap((volume) => [line(1, `${nameMargin}${volume.name}:`), ...describeVolume(volume)])];
}

/** The lines about the source of a volume. */
export function describeVolume(volume: Volume): string[] {
  for (const describe of DESCRIBERS) {
    const description = describe(volume);
    if (description) return [line(2, 'Type:', description.type), ...description.lines];
  }
  return [line(1, '<unknown>')];
}

/** The line `Key:⇥value` at level 2. An absent value appears as Go's zero value. */
const field = (key: string, value: string | number | boolean | undefined): string =>
  line(2, `${key}:`, value === undefined ? '' : String(value));
const flag = (key: string, value: boolean | undefined): string => field(key, value ?? false);

/** The kinds of volumes in kubectl's order, which decides for a volume that wrongly has several sources. */
const DESCRIBERS: readonly Describer[] = [
  ({ hostPath }) =>
    hostPath && {
      type: 'HostPath (bare host directory volume)',
      lines: [field('Path', hostPath.path), field('HostPathType', hostPath.type ?? '<none>')],
    },
  ({ emptyDir }) =>
    emptyDir && {
      type: "EmptyDir (a temporary directory that shares a pod's lifetime)",
      lines: [field('Medium', emptyDir.medium), field('SizeLimit', sizeLimit(emptyDir))],
    },
  ({ gitRepo }) =>
    gitRepo && {
      type: 'GitRepo (a volume that is pulled from git when the pod is created)',
      lines: [field('Repository', gitRepo.repository), field('Revision', gitRepo.revision)],
    },
  ({ secret }) =>
    secret && {
      type: 'Secret (a volume populated by a Secret)',
      lines: [field('SecretName', secret.secretName), flag('Optional', secret.optional)],
    },
  ({ configMap }) =>
    configMap && {
      type: 'ConfigMap (a volume populated by a ConfigMap)',
      lines: [field('Name', configMap.name), flag('Optional', configMap.optional)],
    },
  ({ nfs }) =>
    nfs && {
      type: 'NFS (an NFS mount that lasts the lifetime of a pod)',
      lines: [field('Server', nfs.server), field('Path', nfs.path), flag('ReadOnly', nfs.readOnly)],
    },
  ({ persistentVolumeClaim: claim }) =>
    claim && {
      type: 'PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)',
      lines: [field('ClaimName', claim.claimName), flag('ReadOnly', claim.readOnly)],
    },
  ({ ephemeral }) =>
    ephemeral && {
      type: 'EphemeralVolume (an inline specification for a volume that gets created and deleted with the pod)',
      lines: describeClaimTemplate(ephemeral),
    },
  ({ downwardAPI }) =>
    downwardAPI && {
      type: 'DownwardAPI (a volume populated by information about the pod)',
      lines: [line(2, 'Items:'), ...(downwardAPI.items ?? []).map(downwardItem)],
    },
  ({ fc }) =>
    fc && {
      type: 'FC (a Fibre Channel disk)',
      lines: [
        field('TargetWWNs', (fc.targetWWNs ?? []).join(', ')),
        field('LUN', fc.lun ?? '<none>'),
        field('FSType', fc.fsType),
        flag('ReadOnly', fc.readOnly),
      ],
    },
  ({ flexVolume: flex }) =>
    flex && {
      type: 'FlexVolume (a generic volume resource that is provisioned/attached using an exec based plugin)',
      lines: [
        field('Driver', flex.driver),
        field('FSType', flex.fsType),
        field('SecretRef', flex.secretRef ? `&{${flex.secretRef.name ?? ''}}` : '<nil>'),
        flag('ReadOnly', flex.readOnly),
        field(
          'Options',
          `map[${sortedEntries(flex.options)
            .map((pair) => pair.join(':'))
            .join(' ')}]`,
        ),
      ],
    },
  ({ projected }) =>
    projected && {
      type: 'Projected (a volume that contains injected data from multiple sources)',
      lines: (projected.sources ?? []).flatMap(describeProjection),
    },
  ({ csi }) =>
    csi && {
      type: 'CSI (a Container Storage Interface (CSI) volume source)',
      lines: [
        field('Driver', csi.driver),
        field('FSType', csi.fsType),
        flag('ReadOnly', csi.readOnly),
        ...describeAttributes(csi.volumeAttributes),
      ],
    },
  ({ image }) =>
    image && {
      type: 'Image (a container image or OCI artifact)',
      lines: [field('Reference', image.reference), field('PullPolicy', image.pullPolicy)],
    },
];

function sizeLimit({ sizeLimit: limit }: EmptyDirVolumeSource): string {
  const set = limit !== undefined && compareQuantities(parseQuantity(limit), ZERO_QUANTITY) > 0;
  return set ? canonicalQuantity(limit) : '<unset>';
}

/** The claim of an ephemeral volume. Its capacity is not known before the Pod exists. */
function describeClaimTemplate({ volumeClaimTemplate: template }: EphemeralVolumeSource): string[] {
  if (!template) return [];
  const { spec, metadata } = template;
  return [
    field('StorageClass', metadata?.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec.storageClassName),
    field('Volume', spec.volumeName),
    ...describeLabels('Labels', metadata?.labels, 2),
    ...describeAnnotations(metadata?.annotations, 'Annotations', 2),
    field('Capacity', ''),
    field('Access Modes', ''),
    ...(spec.volumeMode ? [field('VolumeMode', spec.volumeMode)] : []),
  ];
}

function downwardItem({ path, fieldRef, resourceFieldRef }: DownwardAPIVolumeFile): string {
  return line(3, `${fieldRef?.fieldPath ?? resourceFieldRef?.resource ?? ''} -> ${path}`);
}

/**
 * One source of a projected volume. kubectl v1.32 prints the pointer of an optional flag: `<nil>` or an address.
 * Instead of the address, this prints the value of the flag.
 */
function describeProjection(source: VolumeProjection): string[] {
  const { secret, downwardAPI, configMap, serviceAccountToken: token } = source;
  const optional = (value: boolean | undefined): string => (value === undefined ? '<nil>' : String(value));
  if (secret) return [field('SecretName', secret.name), field('SecretOptionalName', optional(secret.optional))];
  if (downwardAPI) return [flag('DownwardAPI', true)];
  if (configMap)
    return [field('ConfigMapName', configMap.name), field('ConfigMapOptional', optional(configMap.optional))];
  return token ? [field('TokenExpirationSeconds', token.expirationSeconds ?? 3600)] : [];
}

/** The lines of a CSI volume's attributes. kubectl indents every part that it writes: each cell has the indent. */
export function describeAttributes(attributes: Readonly<Record<string, string>> | undefined): string[] {
  const margin = indent(2);
  const texts = sortedEntries(attributes).map(([key, value]) => margin + shorten(`${key}=${value}`, 140));
  const [first = '<none>', ...others] = texts;
  return [field('VolumeAttributes', first), ...others.map((text) => line(2, margin, text))];
}
