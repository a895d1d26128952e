import {
  canonicalQuantity,
  type NodeSelectorTerm,
  type PersistentVolume,
  type StoredKubeObject,
} from '../../../api/index.ts';
import { ageSince } from '../../base/age.ts';
import { accessModeText, claimClass } from '../../table/claim-cells.ts';
import { optional } from '../align.ts';
import { line } from '../line.ts';
import { describeAnnotations, describeLabels } from '../metadata.ts';
import { describeVolume } from '../volumes.ts';

/** The lines of `describe` about a PersistentVolume, without its events. */
export function describePersistentVolume(volume: StoredKubeObject & PersistentVolume, nowMs: number): string[] {
  const { metadata, spec = {}, status = {} } = volume;
  const { claimRef, hostPath, local } = spec;
  const { deletionTimestamp } = metadata;
  const isGoing = deletionTimestamp !== undefined && deletionTimestamp !== null;
  return [
    line(0, 'Name:', metadata.name),
    ...describeLabels('Labels', metadata.labels),
    ...describeAnnotations(metadata.annotations),
    line(0, 'Finalizers:', `[${(metadata.finalizers ?? []).join(' ')}]`),
    line(0, 'StorageClass:', claimClass(volume)),
    line(0, 'Status:', isGoing ? `Terminating (lasts ${ageSince(deletionTimestamp, nowMs)})` : (status.phase ?? '')),
    line(0, 'Claim:', claimRef === undefined ? '' : `${claimRef.namespace}/${claimRef.name}`),
    line(0, 'Reclaim Policy:', spec.persistentVolumeReclaimPolicy ?? ''),
    line(0, 'Access Modes:', accessModeText(spec.accessModes)),
    ...optional('VolumeMode:', spec.volumeMode),
    line(0, 'Capacity:', canonicalQuantity(spec.capacity?.['storage'] ?? '0')),
    ...describeNodes(spec.nodeAffinity?.required?.nodeSelectorTerms),
    line(0, 'Message:', status.message ?? ''),
    line(0, 'Source:'),
    ...(local === undefined
      ? describeVolume({ name: '', hostPath })
      : [
          line(2, 'Type:', 'LocalVolume (a persistent volume backed by local storage on a node)'),
          line(2, 'Path:', local.path),
        ]),
  ];
}

function describeNodes(terms: readonly NodeSelectorTerm[] | undefined): string[] {
  if (terms === undefined) return [line(0, 'Node Affinity:', '<none>')];
  return [
    line(0, 'Node Affinity:', ''),
    line(1, 'Required Terms:', ''),
    ...terms.flatMap(({ matchExpressions = [] }, index) => {
      const texts = matchExpressions.map(({ key, operator, values = [] }) =>
        [key, operator.toLowerCase(), ...(values.length === 0 ? [] : [`[${values.join(', ')}]`])].join(' '),
      );
      const [first = '<none>', ...others] = texts;
      return [line(2, `Term ${index}:`, first), ...others.map((text) => line(2, '', text))];
    }),
  ];
}
