import type {
  IPAddress,
  ServiceCIDR,
  StorageCSINode,
  StorageCSINodeDriver,
  StorageVolumeAttributesClass,
  StoredKubeObject,
} from '../../../api/index.ts';
import { formatDate } from '../../base/age.ts';
import { labelText } from '../../text/labels.ts';
import { describeAnnotations, describeLabels, line } from '../lines.ts';

/** The lines of `describe` about a CSINode, without its events. */
export function describeCsiNode({ metadata, spec }: StoredKubeObject & StorageCSINode): string[] {
  return [
    ...describeMetadata(metadata),
    line(0, 'CreationTimestamp:', formatDate(metadata.creationTimestamp)),
    line(0, 'Spec:'),
    line(1, 'Drivers:'),
    ...spec.drivers.flatMap(describeDriver),
  ];
}

function describeDriver({ name, nodeID, allocatable, topologyKeys: keys }: StorageCSINodeDriver): string[] {
  const count = allocatable?.count;
  return [
    line(2, `${name}:`),
    line(3, 'Node ID:', nodeID),
    ...(count === undefined ? [] : [line(3, 'Allocatables:'), line(4, 'Count:', String(count))]),
    ...(keys ? [line(3, 'Topology Keys:', `[${keys.join(' ')}]`)] : []),
  ];
}

/** The lines of `describe` about a VolumeAttributesClass, without its events. */
export function describeVolumeAttributes({
  metadata,
  driverName,
  parameters,
}: StoredKubeObject & StorageVolumeAttributesClass): string[] {
  return [
    line(0, 'Name:', metadata.name),
    line(0, 'Annotations:', labelText(metadata.annotations)),
    line(0, 'DriverName:', driverName),
    line(0, 'Parameters:', labelText(parameters)),
  ];
}

/** The lines of `describe` about an IPAddress, without its events. */
export function describeIpAddress({ metadata, spec }: StoredKubeObject & IPAddress): string[] {
  const parent = spec?.parentRef;
  if (parent === undefined) return describeMetadata(metadata);
  const { group = '', resource = '', namespace = '', name = '' } = parent;
  return [
    ...describeMetadata(metadata),
    line(0, 'Parent Reference:'),
    line(1, 'Group:', group),
    line(1, 'Resource:', resource),
    line(1, 'Namespace:', namespace),
    line(1, 'Name:', name),
  ];
}

/** The lines of `describe` about a ServiceCIDR, without its events. */
export function describeServiceCidr({ metadata, spec, status }: StoredKubeObject & ServiceCIDR): string[] {
  const conditions = status?.conditions ?? [];
  const rows = conditions.map(({ type, status, lastTransitionTime, reason, message }) =>
    line(1, `${type} `, `${status} `, `${formatDate(lastTransitionTime)} `, `${reason} `, message),
  );
  const table = [
    line(0, 'Status:'),
    line(0, 'Conditions:'),
    line(1, 'Type', 'Status', 'LastTransitionTime', 'Reason', 'Message'),
    line(1, '----', '------', '------------------', '------', '-------'),
    ...rows,
  ];
  return [
    ...describeMetadata(metadata),
    line(0, 'CIDRs:', (spec?.cidrs ?? []).join(', ')),
    ...(rows.length === 0 ? [] : table),
  ];
}

function describeMetadata({ name, labels, annotations }: StoredKubeObject['metadata']): string[] {
  return [line(0, 'Name:', name), ...describeLabels('Labels', labels), ...describeAnnotations(annotations)];
}
