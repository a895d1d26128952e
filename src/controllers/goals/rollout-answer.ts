import { goQuote, type KubeObject } from '../../api/index.ts';
import type { StoredDaemonSet, StoredDeployment, StoredStatefulSet } from '../base/reconcile.ts';
import { PROGRESS } from '../texts/deployment.ts';

/** kubectl's answer to the question whether a rollout is done. */
export interface RolloutAnswer {
  /** `failed`: the rollout missed its deadline, or its strategy is not one that a rollout can be watched with. */
  readonly state: 'done' | 'failed' | 'going';
  /** kubectl's line without its line feed. For `failed`, the error. */
  readonly text: string;
}

/**
 * The state of the rollout of a Deployment, a DaemonSet or a StatefulSet, in the words of `kubectl rollout status`.
 * Undefined for other kinds, which have no rollouts. Source: kubectl/pkg/polymorphichelpers/rollout_status.go.
 */
export function rolloutAnswer(object: KubeObject): RolloutAnswer | undefined {
  switch (object.kind) {
    case 'Deployment':
      return ofDeployment(object as unknown as StoredDeployment);
    case 'DaemonSet':
      return ofDaemonSet(object as unknown as StoredDaemonSet);
    case 'StatefulSet':
      return ofStatefulSet(object as unknown as StoredStatefulSet);
    default:
      return undefined;
  }
}

const done = (text: string): RolloutAnswer => ({ state: 'done', text });
const going = (text: string): RolloutAnswer => ({ state: 'going', text });
const failed = (text: string): RolloutAnswer => ({ state: 'failed', text });

const NO_ROLLING_UPDATE = failed('rollout status is only available for RollingUpdate strategy type');

/** Source: DeploymentStatusViewer.Status. */
function ofDeployment({ metadata, spec, status = {} }: StoredDeployment): RolloutAnswer {
  const { generation = 0 } = metadata;
  const name = goQuote(metadata.name);
  const waiting = `Waiting for deployment ${name} rollout to finish:`;
  if (generation > (status.observedGeneration ?? 0))
    return going('Waiting for deployment spec update to be observed...');
  const progress = status.conditions?.find(({ type }) => type === 'Progressing');
  if (progress?.reason === PROGRESS.timedOut) return failed(`deployment ${name} exceeded its progress deadline`);
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  const { replicas: wanted = 1 } = spec;
  if (updatedReplicas < wanted) {
    return going(`${waiting} ${updatedReplicas} out of ${wanted} new replicas have been updated...`);
  }
  if (replicas > updatedReplicas) {
    return going(`${waiting} ${replicas - updatedReplicas} old replicas are pending termination...`);
  }
  if (availableReplicas < updatedReplicas) {
    return going(`${waiting} ${availableReplicas} of ${updatedReplicas} updated replicas are available...`);
  }
  return done(`deployment ${name} successfully rolled out`);
}

/** Source: DaemonSetStatusViewer.Status. */
function ofDaemonSet({ metadata, spec, status }: StoredDaemonSet): RolloutAnswer {
  if (spec.updateStrategy?.type !== 'RollingUpdate') return NO_ROLLING_UPDATE;
  const name = goQuote(metadata.name);
  const waiting = `Waiting for daemon set ${name} rollout to finish:`;
  if ((metadata.generation ?? 0) > (status?.observedGeneration ?? 0)) {
    return going('Waiting for daemon set spec update to be observed...');
  }
  const { desiredNumberScheduled: wanted = 0, updatedNumberScheduled = 0, numberAvailable = 0 } = status ?? {};
  if (updatedNumberScheduled < wanted) {
    return going(`${waiting} ${updatedNumberScheduled} out of ${wanted} new pods have been updated...`);
  }
  if (numberAvailable < wanted)
    return going(`${waiting} ${numberAvailable} of ${wanted} updated pods are available...`);
  return done(`daemon set ${name} successfully rolled out`);
}

/** Source: StatefulSetStatusViewer.Status. */
function ofStatefulSet({ metadata, spec, status }: StoredStatefulSet): RolloutAnswer {
  const { type, rollingUpdate } = spec.updateStrategy ?? {};
  if (type !== 'RollingUpdate') return NO_ROLLING_UPDATE;
  const { observedGeneration = 0, readyReplicas = 0, updatedReplicas = 0, currentReplicas = 0 } = status ?? {};
  if (observedGeneration === 0 || (metadata.generation ?? 0) > observedGeneration) {
    return going('Waiting for statefulset spec update to be observed...');
  }
  const { replicas = 1 } = spec;
  if (readyReplicas < replicas) return going(`Waiting for ${replicas - readyReplicas} pods to be ready...`);
  if (rollingUpdate !== undefined) {
    // The partition is 0 by default, so that each RollingUpdate counts as partitioned.
    const { partition } = rollingUpdate;
    if (partition !== undefined && updatedReplicas < replicas - partition) {
      const progress = `${updatedReplicas} out of ${replicas - partition}`;
      return going(`Waiting for partitioned roll out to finish: ${progress} new pods have been updated...`);
    }
    return done(`partitioned roll out complete: ${updatedReplicas} new pods have been updated...`);
  }
  const { updateRevision = '', currentRevision = '' } = status ?? {};
  if (updateRevision !== currentRevision) {
    const progress = `${updatedReplicas} pods at revision ${updateRevision}`;
    return going(`waiting for statefulset rolling update to complete ${progress}...`);
  }
  return done(`statefulset rolling update complete ${currentReplicas} pods at revision ${currentRevision}...`);
}
