import type { StoredPod } from '../../src/api/objects.ts';
import { reconcileCronJob } from '../../src/controllers/cron-job/reconcile-cron-job.ts';
import { reconcileDeployment } from '../../src/controllers/deployment/reconcile-deployment.ts';
import { reconcileJob } from '../../src/controllers/job/reconcile-job.ts';
import {
  reconcileReplicaSet,
  reconcileReplicationController,
} from '../../src/controllers/replica-set/reconcile-replica-set.ts';
import { reconcileStatefulSet } from '../../src/controllers/stateful-set/reconcile-stateful-set.ts';
import type {
  ActionFailure,
  Reconciliation,
  StoredCronJob,
  StoredDeployment,
  StoredJob,
  StoredReplicaSet,
  StoredReplicationController,
  StoredClaim,
  StoredRevision,
  StoredStatefulSet,
} from '../../src/controllers/reconcile.ts';
import type { WorldObject } from './world.ts';

/** All that a controller can see of a world. */
export interface Around {
  readonly now: { readonly wallMs: number };
  readonly suffix: () => string;
  readonly failure?: ActionFailure;
  readonly pods: readonly StoredPod[];
  readonly removedPods: readonly StoredPod[];
  readonly objects: readonly WorldObject[];
}

type Reconcile = (object: WorldObject, around: Around) => Reconciliation;

/** The controller of each kind. */
export const reconcilers: Readonly<Record<string, Reconcile>> = {
  Job: (object, around) => reconcileJob(object as unknown as StoredJob, around),
  CronJob: (object, around) =>
    reconcileCronJob(object as unknown as StoredCronJob, {
      ...around,
      timeZone: 'UTC',
      jobs: around.objects.filter(({ kind }) => kind === 'Job') as unknown as StoredJob[],
    }),
  Deployment: (object, around) =>
    reconcileDeployment(object as unknown as StoredDeployment, {
      ...around,
      replicaSets: around.objects.filter(({ kind }) => kind === 'ReplicaSet') as unknown as StoredReplicaSet[],
    }),
  ReplicaSet: (object, around) => reconcileReplicaSet(object as unknown as StoredReplicaSet, around),
  ReplicationController: (object, around) =>
    reconcileReplicationController(object as unknown as StoredReplicationController, around),
  StatefulSet: (object, around) =>
    reconcileStatefulSet(object as unknown as StoredStatefulSet, {
      ...around,
      revisions: around.objects.filter(({ kind }) => kind === 'ControllerRevision') as unknown as StoredRevision[],
      claims: around.objects.filter(({ kind }) => kind === 'PersistentVolumeClaim') as unknown as StoredClaim[],
    }),
};
