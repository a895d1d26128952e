import {
  controllerOf,
  finishedCondition,
  type StoredPod,
  type StoredReplicaSet,
  trueCondition,
  type Workload,
} from '../../api/index.ts';
import type { Root } from '../../lifecycle/index.ts';
import { namedRoot } from './root-phrases.ts';

/** Finds the last state of a workload by its uid, and tells whether it is gone. */
type FindWorkload = (uid: string) => (Pick<Root, 'isGone'> & { readonly object: Workload }) | undefined;

/**
 * The cause of the deletion of a Pod that has a controller: `the rollout`, `scaling down`, `its Job`, `the deletion of
 * deployment web`. Undefined when its controller did not want it: a user or a program has deleted the Pod.
 */
export function deletedBy(pod: StoredPod, find: FindWorkload): string | undefined {
  const direct = find(controllerOf(pod)?.uid ?? '');
  if (direct === undefined) return undefined;
  const highest = find(controllerOf(direct.object)?.uid ?? '') ?? direct;
  const gone = [highest, direct].find(({ object, isGone }) => isGone || object.metadata.deletionTimestamp);
  if (gone !== undefined) return `the deletion of ${namedRoot(gone)}`;
  const [owner, top] = [direct.object, highest.object];
  switch (owner.kind) {
    case 'ReplicaSet':
      if (top.kind === 'Deployment' && isOld(owner, top)) return 'the rollout';
      return hasTooMany(owner) ? 'scaling down' : undefined;
    case 'ReplicationController':
      return hasTooMany(owner) ? 'scaling down' : undefined;
    case 'StatefulSet': {
      const { replicas = 1, ordinals } = owner.spec;
      const ordinal = Number(/(?<!\d)\d+$/.exec(pod.metadata.name)?.[0] ?? 0);
      if (ordinal >= (ordinals?.start ?? 0) + replicas) return 'scaling down';
      return hasOtherRevision(pod, owner.status?.updateRevision) ? 'the rollout' : undefined;
    }
    case 'DaemonSet': {
      const { updatedNumberScheduled = 0, desiredNumberScheduled = 0 } = owner.status ?? {};
      return updatedNumberScheduled < desiredNumberScheduled ? 'the rollout' : undefined;
    }
    case 'Job': {
      const { status = {}, spec } = owner;
      const isEnding = finishedCondition(status) ?? ENDINGS.find((type) => trueCondition(status, type));
      return isEnding !== undefined || spec.suspend === true ? 'its Job' : undefined;
    }
    case 'CronJob':
    case 'Deployment':
      return undefined;
    default:
      return owner satisfies never;
  }
}

const ENDINGS = ['FailureTarget', 'SuccessCriteriaMet'] as const;

const REVISION = 'deployment.kubernetes.io/revision';

/** True for a ReplicaSet of an earlier revision. */
function isOld({ metadata }: StoredReplicaSet, deployment: Workload): boolean {
  return metadata.annotations?.[REVISION] !== deployment.metadata.annotations?.[REVISION];
}

function hasTooMany({ spec, status }: Extract<Workload, { kind: 'ReplicaSet' | 'ReplicationController' }>): boolean {
  return (status?.replicas ?? 0) > (spec.replicas ?? 1);
}

function hasOtherRevision({ metadata }: StoredPod, revision: string | undefined): boolean {
  return revision !== undefined && metadata.labels?.['controller-revision-hash'] !== revision;
}
