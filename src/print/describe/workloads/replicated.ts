import {
  canonicalQuantity,
  type PersistentVolumeClaim,
  selectorText,
  type StoredDaemonSet,
  type StoredDeployment,
  type StoredPod,
  type StoredReplicaSet,
  type StoredReplicationController,
  type StoredStatefulSet,
} from '../../../api/index.ts';
import { isControlledBy, type Owned, revisionsOf } from '../../../controllers/index.ts';
import { formatDate } from '../../base/age.ts';
import { claimClass } from '../../table/common-columns.ts';
import { labelText, sortedEntries } from '../../text/labels.ts';
import { describeAnnotations, describeController, describeLabels, line } from '../lines.ts';
import { describeTemplate } from '../pod-template.ts';

/**
 * The lines of `describe` about a Deployment, without its events. Source: describe.go, describeDeployment.
 * @param replicaSets the ReplicaSets of its namespace; other owners' are left out
 */
export function describeDeployment(deployment: StoredDeployment, replicaSets: readonly StoredReplicaSet[]): string[] {
  const { metadata, spec, status = {} } = deployment;
  const rolling = spec.strategy?.rollingUpdate;
  const own = replicaSets.filter((replicaSet) => isControlledBy(replicaSet, deployment));
  const { current, olds } = revisionsOf(deployment, own);
  return [
    line(0, 'Name:', metadata.name),
    line(0, 'Namespace:', metadata.namespace),
    line(0, 'CreationTimestamp:', formatDate(metadata.creationTimestamp)),
    ...describeLabels('Labels', metadata.labels),
    ...describeAnnotations(metadata.annotations),
    line(0, 'Selector:', selectorText(spec.selector)),
    line(0, 'Replicas:', deploymentReplicas(deployment)),
    line(0, 'StrategyType:', spec.strategy?.type ?? ''),
    line(0, 'MinReadySeconds:', String(spec.minReadySeconds ?? 0)),
    ...(rolling === undefined
      ? []
      : [
          line(
            0,
            'RollingUpdateStrategy:',
            `${rolling.maxUnavailable ?? ''} max unavailable, ${rolling.maxSurge ?? ''} max surge`,
          ),
        ]),
    ...describeTemplate(spec.template),
    ...describeConditions(status.conditions),
    line(0, 'OldReplicaSets:', replicaSetTexts(olds)),
    line(0, 'NewReplicaSet:', replicaSetTexts(current === undefined ? [] : [current])),
  ];
}

function deploymentReplicas({ spec, status = {} }: StoredDeployment): string {
  return [
    `${spec.replicas ?? 1} desired`,
    `${status.updatedReplicas ?? 0} updated`,
    `${status.replicas ?? 0} total`,
    `${status.availableReplicas ?? 0} available`,
    `${status.unavailableReplicas ?? 0} unavailable`,
  ].join(' | ');
}

function replicaSetTexts(replicaSets: readonly StoredReplicaSet[]): string {
  const texts = replicaSets.map(
    ({ metadata, spec, status }) =>
      `${metadata.name} (${status?.replicas ?? 0}/${spec.replicas ?? 1} replicas created)`,
  );
  return texts.join(', ') || '<none>';
}

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

/** The lines of `describe` about a ReplicaSet, without its events. Source: describe.go, describeReplicaSet. */
export function describeReplicaSet(replicaSet: StoredReplicaSet, pods: readonly StoredPod[]): string[] {
  return [
    ...describeIdentity(replicaSet, selectorText(replicaSet.spec.selector)),
    ...describeController(replicaSet),
    ...describeReplicas(replicaSet, pods),
  ];
}

/** The lines about a ReplicationController, without its events. Source: describe.go, describeReplicationController. */
export function describeReplicationController(
  controller: StoredReplicationController,
  pods: readonly StoredPod[],
): string[] {
  return [...describeIdentity(controller, labelText(controller.spec.selector)), ...describeReplicas(controller, pods)];
}

type Replicated = StoredReplicaSet | StoredReplicationController;

function describeIdentity({ metadata }: Replicated, selector: string): string[] {
  return [
    line(0, 'Name:', metadata.name),
    line(0, 'Namespace:', metadata.namespace),
    line(0, 'Selector:', selector),
    ...describeLabels('Labels', metadata.labels),
    ...describeAnnotations(metadata.annotations),
  ];
}

function describeReplicas(object: Replicated, pods: readonly StoredPod[]): string[] {
  const { spec, status } = object;
  return [
    line(0, 'Replicas:', `${status?.replicas ?? 0} current / ${spec.replicas ?? 1} desired`),
    describePodsStatus(object, pods),
    ...describeTemplate(spec.template),
    ...describeConditions(status?.conditions),
  ];
}

interface Condition {
  readonly type?: string | undefined;
  readonly status?: string | undefined;
  readonly reason?: string | undefined;
}

/** The block `Conditions:` of a workload, if it has any. */
function describeConditions(conditions: readonly Condition[] = []): string[] {
  if (conditions.length === 0) return [];
  return [
    line(0, 'Conditions:'),
    line(1, 'Type', 'Status', 'Reason'),
    line(1, '----', '------', '------'),
    ...conditions.map(({ type = '', status = '', reason = '' }) => line(1, `${type} `, status, reason)),
  ];
}

/**
 * The line `Pods Status:`: the Pods that the workload controls, by phase.
 * Source: describe.go, getPodStatusForController.
 */
function describePodsStatus(workload: Owned, pods: readonly StoredPod[]): string {
  const phases = pods.filter((pod) => isControlledBy(pod, workload)).map(({ status }) => status.phase);
  const count = (wanted: string): number => phases.filter((phase) => phase === wanted).length;
  const [running, waiting, succeeded, failed] = ['Running', 'Pending', 'Succeeded', 'Failed'].map(count);
  return line(0, 'Pods Status:', `${running} Running / ${waiting} Waiting / ${succeeded} Succeeded / ${failed} Failed`);
}
