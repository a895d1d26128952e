import type { StorageStorageClass, StoredKubeObject } from '../../../api/index.ts';
import { labelText } from '../../text/labels.ts';
import { line, optional } from '../lines.ts';

const DEFAULT = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

/** The lines of `describe` about a StorageClass, without its events. */
export function describeStorageClass({ metadata, ...fields }: StoredKubeObject & StorageStorageClass): string[] {
  const { provisioner, parameters, allowVolumeExpansion, mountOptions = [], reclaimPolicy, volumeBindingMode } = fields;
  const isDefault = DEFAULT.some((name) => metadata.annotations?.[name] === 'true');
  const expands = allowVolumeExpansion === true ? 'True' : 'False';
  return [
    line(0, 'Name:', metadata.name),
    line(0, 'IsDefaultClass:', isDefault ? 'Yes' : 'No'),
    line(0, 'Annotations:', labelText(metadata.annotations)),
    line(0, 'Provisioner:', provisioner),
    line(0, 'Parameters:', labelText(parameters)),
    line(0, 'AllowVolumeExpansion:', allowVolumeExpansion === undefined ? '<unset>' : expands),
    ...(mountOptions.length === 0
      ? [line(0, 'MountOptions:', '<none>')]
      : [line(0, 'MountOptions:'), ...mountOptions.map((option) => line(1, option))]),
    ...optional('ReclaimPolicy:', reclaimPolicy),
    ...optional('VolumeBindingMode:', volumeBindingMode),
    ...topologies(fields.allowedTopologies),
  ];
}

function topologies(terms: StorageStorageClass['allowedTopologies']): string[] {
  if (terms === undefined) return [];
  if (terms.length === 0) return [line(0, 'AllowedTopologies:', '<none>')];
  const lines = terms.flatMap(({ matchLabelExpressions = [] }, index) =>
    matchLabelExpressions.map(({ key, values = [] }, row) =>
      line(1, row === 0 ? `Term ${index}:` : '', `${key} in [${values.join(', ')}]`),
    ),
  );
  return [line(0, 'AllowedTopologies:', ''), ...lines];
}
