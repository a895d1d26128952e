import type {
  DaemonSet,
  Deployment,
  PersistentVolumeClaim,
  ReplicaSet,
  StatefulSet,
  StatefulSetUpdateStrategy,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { changeFields, fillAbsent, fillZero } from './fill.ts';
import { defaultTemplate } from './pod.ts';
import { defaultClaimSpec } from './volume.ts';

const HISTORY_LIMIT = 10;
const PROGRESS_DEADLINE_SECONDS = 600;
/** The share of Pods that a rolling update may add, and the share that may be missing. */
const ROLLING_SHARE = '25%';

/** Source of all functions here: pkg/apis/apps/v1/defaults.go. */
export function defaultDeployment(deployment: Decoded<Deployment>): Decoded<Deployment> {
  const spec = fillAbsent(deployment.spec ?? {}, {
    replicas: 1,
    strategy: {},
    revisionHistoryLimit: HISTORY_LIMIT,
    progressDeadlineSeconds: PROGRESS_DEADLINE_SECONDS,
  });
  const strategy = fillZero(spec.strategy ?? {}, { type: 'RollingUpdate' });
  if (strategy.type === 'RollingUpdate') {
    strategy.rollingUpdate = fillAbsent(strategy.rollingUpdate ?? {}, {
      maxUnavailable: ROLLING_SHARE,
      maxSurge: ROLLING_SHARE,
    });
  }
  return { ...deployment, spec: { ...spec, strategy, template: defaultTemplate(spec.template) } };
}

export function defaultReplicaSet(replicaSet: Decoded<ReplicaSet>): Decoded<ReplicaSet> {
  const spec = fillAbsent(replicaSet.spec ?? {}, { replicas: 1 });
  return { ...replicaSet, spec: { ...spec, template: defaultTemplate(spec.template) } };
}

export function defaultStatefulSet(statefulSet: Decoded<StatefulSet>): Decoded<StatefulSet> {
  const valued = fillZero(statefulSet.spec ?? {}, { podManagementPolicy: 'OrderedReady' });
  const spec = fillAbsent(valued, {
    replicas: 1,
    revisionHistoryLimit: HISTORY_LIMIT,
    updateStrategy: {},
    persistentVolumeClaimRetentionPolicy: {},
  });
  const changed = changeFields(spec, {
    updateStrategy: defaultStatefulSetStrategy,
    persistentVolumeClaimRetentionPolicy: (policy) => fillZero(policy, { whenDeleted: 'Retain', whenScaled: 'Retain' }),
    volumeClaimTemplates: (claims) => claims.map(defaultClaim),
  });
  return { ...statefulSet, spec: { ...changed, template: defaultTemplate(spec.template) } };
}

function defaultStatefulSetStrategy(strategy: Decoded<StatefulSetUpdateStrategy>): Decoded<StatefulSetUpdateStrategy> {
  const filled = strategy.type
    ? strategy
    : { ...strategy, type: 'RollingUpdate', rollingUpdate: strategy.rollingUpdate ?? {} };
  if (filled.type !== 'RollingUpdate') return filled;
  return changeFields(filled, { rollingUpdate: (update) => fillAbsent(update, { partition: 0 }) });
}

export function defaultDaemonSet(daemonSet: Decoded<DaemonSet>): Decoded<DaemonSet> {
  const spec = fillAbsent(daemonSet.spec ?? {}, { revisionHistoryLimit: HISTORY_LIMIT, updateStrategy: {} });
  const updateStrategy = fillZero(spec.updateStrategy ?? {}, { type: 'RollingUpdate' });
  if (updateStrategy.type === 'RollingUpdate') {
    updateStrategy.rollingUpdate = fillAbsent(updateStrategy.rollingUpdate ?? {}, { maxUnavailable: 1, maxSurge: 0 });
  }
  return { ...daemonSet, spec: { ...spec, updateStrategy, template: defaultTemplate(spec.template) } };
}

/** Source: pkg/apis/core/v1/defaults.go, SetDefaults_PersistentVolumeClaim. */
export function defaultClaim(claim: Decoded<PersistentVolumeClaim>): Decoded<PersistentVolumeClaim> {
  return { ...claim, spec: defaultClaimSpec(claim.spec ?? {}) };
}
