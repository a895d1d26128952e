import type {
  Controlled,
  StoredClaim,
  StoredEndpoints,
  StoredEndpointSlice,
  StoredJob,
  StoredPod,
  StoredReplicaSet,
  StoredRevision,
} from '../api/index.ts';
import type { BackOffLimits, NodeFacts } from '../lifecycle/index.ts';
import { reconcileCronJob } from './cron-job/reconcile-cron-job.ts';
import { reconcileDaemonSet } from './daemon-set/reconcile-daemon-set.ts';
import { reconcileDeployment } from './deployment/reconcile-deployment.ts';
import { reconcileJob } from './job/reconcile-job.ts';
import type { PodsInput, Reconciliation } from './base/reconcile.ts';
import { reconcileReplicaSet, reconcileReplicationController } from './replica-set/reconcile-replica-set.ts';
import { reconcileService } from './service/reconcile-service.ts';
import { reconcileStatefulSet } from './stateful-set/reconcile-stateful-set.ts';

/**
 * All that a controller may look at: the objects of the namespace that its own object owns or that match its selector.
 * A controller passes over all other objects.
 */
export interface WorkloadInput extends PodsInput {
  readonly replicaSets: readonly StoredReplicaSet[];
  readonly jobs: readonly StoredJob[];
  readonly revisions: readonly StoredRevision[];
  readonly claims: readonly StoredClaim[];
  readonly slices: readonly StoredEndpointSlice[];
  readonly endpoints: readonly StoredEndpoints[];
  readonly nodes: readonly [NodeFacts, ...NodeFacts[]];
  /** The machine's time zone: an IANA name. */
  readonly timeZone: () => string;
  /**
   * The last states of Pods that are gone, with their deletion timestamps, as far as the loop saw them. Jobs and
   * DaemonSets delay new Pods after failures; a failed Pod that was deleted leaves nothing else behind.
   */
  readonly removedPods: readonly StoredPod[];
  /** The delays of Jobs after failures. Undefined: the defaults of a cluster. */
  readonly delay?: BackOffLimits | undefined;
}

/** One sync of any workload or Service. See reconcile.ts for the contract. */
export function reconcileWorkload(workload: Controlled, input: WorkloadInput): Reconciliation {
  switch (workload.kind) {
    case 'CronJob':
      return reconcileCronJob(workload, input);
    case 'DaemonSet':
      return reconcileDaemonSet(workload, input);
    case 'Deployment':
      return reconcileDeployment(workload, input);
    case 'Job':
      return reconcileJob(workload, input);
    case 'ReplicaSet':
      return reconcileReplicaSet(workload, input);
    case 'ReplicationController':
      return reconcileReplicationController(workload, input);
    case 'Service':
      return reconcileService(workload, input);
    case 'StatefulSet':
      return reconcileStatefulSet(workload, input);
    default:
      return workload satisfies never;
  }
}
