import {
  canonicalQuantity,
  type PersistentVolumeClaim,
  type StoredDaemonSet,
  type StoredPod,
  type StoredStatefulSet,
} from '../../../api/index.ts';
import { formatDate } from '../../base/age.ts';
import { claimClass } from '../../table/claim-cells.ts';
import { labelText, sortedEntries } from '../../text/labels.ts';
import { selectorText } from '../../text/selector.ts';
import { line } from '../line.ts';
import { describeAnnotations, describeLabels } from '../metadata.ts';
import { describePodsStatus } from './pods-status.ts';
import { describeTemplate } from './pod-template.ts';

/** The lines of `describe` about a StatefulSet, without its events. Source: describe.go, describeStatefulSet. */
export function describeStatefulSet(set: StoredStatefulSet, pods: readonly StoredPod[]): string[] {
  const { metadata, spec, status } = set;
  const { partition, maxUnavailable } = spec.updateStrategy?.rollingUpdate ?? {};
  return [
    line(0, 'Name:', metadata.name),
    line(0, 'Namespace:', metadata.namespace),
    line(0, 'CreationTimestamp:', formatDate(metadata.creationTimestamp)),
    line(0, 'Selector:', selectorText(spec.selector)),
    ...describeLabels('Labels', metadata.labels),
    ...describeAnnotations(metadata.annotations),
    line(0, 'Replicas:', `${spec.replicas ?? 1} desired | ${status?.replicas ?? 0} total`),
    line(0, 'Update Strategy:', spec.updateStrategy?.type ?? ''),
    ...(partition === undefined ? [] : [line(1, 'Partition:', String(partition))]),
    ...(partition === undefined || maxUnavailable === undefined
      ? []
      : [line(1, 'MaxUnavailable:', String(maxUnavailable))]),
    describePodsStatus(set, pods),
    ...describeTemplate(spec.template),
    ...describeClaimTemplates(spec.volumeClaimTemplates),
  ];
}

function describeClaimTemplates(templates: readonly PersistentVolumeClaim[] = []): string[] {
  if (templates.length === 0) return [line(0, 'Volume Claims:', '<none>')];
  return [line(0, 'Volume Claims:'), ...templates.flatMap(describeClaimTemplate)];
}

function describeClaimTemplate(template: PersistentVolumeClaim): string[] {
  const { metadata = {}, spec = {} } = template;
  const storage = spec.resources?.requests?.['storage'];
  return [
    line(1, 'Name:', metadata.name ?? ''),
    line(1, 'StorageClass:', claimClass(template)),
    ...describePairs('Labels', metadata.labels),
    ...describePairs('Annotations', metadata.annotations),
    line(1, 'Capacity:', storage === undefined ? '<default>' : canonicalQuantity(storage)),
    line(1, 'Access Modes:', `[${(spec.accessModes ?? []).join(' ')}]`),
  ];
}

/** Labels or annotations, one on each line. Unlike elsewhere, annotations look as labels do. */
function describePairs(title: string, pairs: Readonly<Record<string, string>> | undefined): string[] {
  const [first = '<none>', ...others] = sortedEntries(pairs).map(([key, value]) => `${key}=${value}`);
  return [line(1, `${title}:`, first), ...others.map((text) => line(1, '', text))];
}

/** The lines of `describe` about a DaemonSet, without its events. Source: describe.go, describeDaemonSet. */
export function describeDaemonSet(set: StoredDaemonSet, pods: readonly StoredPod[]): string[] {
  const { metadata, spec, status } = set;
  return [
    line(0, 'Name:', metadata.name),
    line(0, 'Namespace:', metadata.namespace),
    line(0, 'Selector:', selectorText(spec.selector)),
    line(0, 'Node-Selector:', labelText(spec.template.spec?.nodeSelector)),
    ...describeLabels('Labels', metadata.labels),
    ...describeAnnotations(metadata.annotations),
    `Desired Number of Nodes Scheduled: ${status?.desiredNumberScheduled ?? 0}`,
    `Current Number of Nodes Scheduled: ${status?.currentNumberScheduled ?? 0}`,
    `Number of Nodes Scheduled with Up-to-date Pods: ${status?.updatedNumberScheduled ?? 0}`,
    `Number of Nodes Scheduled with Available Pods: ${status?.numberAvailable ?? 0}`,
    `Number of Nodes Misscheduled: ${status?.numberMisscheduled ?? 0}`,
    describePodsStatus(set, pods),
    ...describeTemplate(spec.template),
  ];
}
