import { isControlledBy, revisionsOf } from '../../../controllers/index.ts';
import type { StoredDeployment, StoredReplicaSet } from '../../../api/index.ts';
import { formatDate } from '../../base/age.ts';
import { selectorText } from '../../text/selector.ts';
import { line } from '../line.ts';
import { describeAnnotations, describeLabels } from '../metadata.ts';
import { describeConditions } from './conditions.ts';
import { describeTemplate } from './pod-template.ts';

/**
 * The lines of `describe` about a Deployment, without its events. Source: describe.go, describeDeployment.
 * @param replicaSets those of its namespace; other owners' are left out
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
