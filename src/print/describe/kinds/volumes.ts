import {
  canonicalQuantity,
  type NodeSelectorTerm,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StoredKubeObject,
  type StoredPod,
} from '../../../api/index.ts';
import { ageSince, formatDate } from '../../base/age.ts';
import { accessModeText, claimCapacity, claimClass, claimModes } from '../../table/common-columns.ts';
import { describeAnnotations, describeLabels, keyedLines, line, optional } from '../lines.ts';
import { describePersistentSource } from './persistent-source.ts';

/** The lines of `describe` about a PersistentVolume, without its events. */
export function describePersistentVolume(volume: StoredKubeObject & PersistentVolume, nowMs: number): string[] {
  const { metadata, spec = {}, status = {} } = volume;
  const { claimRef } = spec;
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
    ...describePersistentSource(spec),
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

/**
 * The lines of `describe` about a claim, without its events.
 * @param pods the Pods of its namespace; the Pods that use the claim are named
 */
export function describeClaim(claim: StoredKubeObject & PersistentVolumeClaim, pods: readonly StoredPod[]): string[] {
  const { metadata, spec = {}, status = {} } = claim;
  const { apiGroup, kind = '', name = '' } = spec.dataSource ?? {};
  const users = pods.filter((pod) =>
    pod.spec.volumes?.some((volume) => volume.persistentVolumeClaim?.claimName === metadata.name),
  );
  return [
    line(0, 'Name:', metadata.name),
    line(0, 'Namespace:', metadata.namespace),
    line(0, 'StorageClass:', claimClass(claim)),
    line(0, 'Status:', status.phase ?? 'Pending'),
    line(0, 'Volume:', spec.volumeName ?? ''),
    ...describeLabels('Labels', metadata.labels),
    ...describeAnnotations(metadata.annotations),
    line(0, 'Finalizers:', `[${(metadata.finalizers ?? []).join(' ')}]`),
    line(0, 'Capacity:', claimCapacity(claim)),
    line(0, 'Access Modes:', claimModes(claim)),
    ...optional('VolumeMode:', spec.volumeMode),
    ...(spec.dataSource === undefined
      ? []
      : [
          line(0, 'DataSource:'),
          ...(apiGroup ? [line(1, 'APIGroup:', apiGroup)] : []),
          line(1, 'Kind:', kind),
          line(1, 'Name:', name),
        ]),
    ...keyedLines(
      'Used By',
      users.map((pod) => pod.metadata.name),
      0,
    ),
    ...describeClaimConditions(status),
  ];
}

function describeClaimConditions({ conditions = [] }: NonNullable<PersistentVolumeClaim['status']>): string[] {
  if (conditions.length === 0) return [];
  const date = (time: string | null | undefined): string =>
    time ? formatDate(time) : 'Mon, 01 Jan 0001 00:00:00 +0000';
  return [
    line(0, 'Conditions:'),
    line(1, 'Type', 'Status', 'LastProbeTime', 'LastTransitionTime', 'Reason', 'Message'),
    line(1, '----', '------', '-----------------', '------------------', '------', '-------'),
    ...conditions.map(({ type, status, lastProbeTime, lastTransitionTime, reason, message }) =>
      line(
        1,
        `${type} `,
        `${status} `,
        `${date(lastProbeTime)} `,
        `${date(lastTransitionTime)} `,
        `${reason ?? ''} `,
        message ?? '',
      ),
    ),
  ];
}
