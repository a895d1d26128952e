import type { StoredPod, StoredReplicaSet, StoredReplicationController } from '../../../api/index.ts';
import { labelText } from '../../text/labels.ts';
import { selectorText } from '../../text/selector.ts';
import { line } from '../line.ts';
import { describeAnnotations, describeController, describeLabels } from '../metadata.ts';
import { describeConditions } from './conditions.ts';
import { describePodsStatus } from './pods-status.ts';
import { describeTemplate } from './pod-template.ts';

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
