import type { PersistentVolumeClaim, StoredKubeObject, StoredPod } from '../../../api/index.ts';
import { formatDate } from '../../base/age.ts';
import { claimCapacity, claimClass, claimModes } from '../../table/claim-cells.ts';
import { optional } from '../align.ts';
import { line } from '../line.ts';
import { describeAnnotations, describeLabels, keyedLines } from '../metadata.ts';

/**
 * The lines of `describe` about a claim, without its events.
 * @param pods those of its namespace; the Pods that use the claim are named
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
