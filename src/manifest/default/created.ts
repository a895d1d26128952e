import {
  type DaemonSet,
  type DaemonSetStatus,
  isSameJson,
  type Job,
  type KubeObject,
  type PersistentVolumeClaim,
  PROTECTION,
} from '../../api/index.ts';
import { withGeneratedSelector } from '../base/generated-selector.ts';

/**
 * The API server's additions to a new workload that has a uid. Source: `PrepareForCreate` of the strategies in
 * pkg/registry, and what their types write for an empty status.
 */

/** The first statuses. Kinds that are not here have none; `prepareForCreate` gives a Pod its status. */
const FIRST_STATUS: Readonly<Record<string, object>> = {
  CertificateSigningRequest: {},
  CronJob: {},
  DaemonSet: {
    currentNumberScheduled: 0,
    numberMisscheduled: 0,
    desiredNumberScheduled: 0,
    numberReady: 0,
  } satisfies DaemonSetStatus,
  Deployment: {},
  HorizontalPodAutoscaler: { desiredReplicas: 0, currentMetrics: null },
  Ingress: { loadBalancer: {} },
  Job: {},
  Namespace: { phase: 'Active' },
  PersistentVolume: { phase: 'Pending' },
  PersistentVolumeClaim: { phase: 'Pending' },
  PodDisruptionBudget: { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 },
  ReplicaSet: { replicas: 0 },
  ReplicationController: { replicas: 0 },
  ResourceClaim: {},
  ResourceQuota: {},
  Service: { loadBalancer: {} },
  StatefulSet: { replicas: 0, availableReplicas: 0 },
  VolumeAttachment: { attached: false },
};

/** Counts the changes of a DaemonSet's template. Source: k8s.io/api/apps/v1, DeprecatedTemplateGeneration. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/**
 * A prepared object in the form in which it is stored under its new uid. An object that has a uid already is returned
 * with its own.
 */
export function asCreated<T extends KubeObject>(object: T, newUid: () => string): T {
  const uid = object.metadata.uid || newUid();
  const named = withProtection({ ...object, metadata: { ...object.metadata, uid } });
  const status = named['status'] ?? FIRST_STATUS[object.kind];
  const withStatus = status === undefined ? named : { ...named, status };
  if (object.kind === 'Job') return withOwnLabels(withGeneratedSelector(withStatus, uid));
  if (object.kind === 'PersistentVolumeClaim') return withClass(withStatus) as T;
  // Source: pkg/registry/core/namespace/strategy.go PrepareForCreate.
  if (object.kind === 'Namespace') return { ...withStatus, spec: { finalizers: ['kubernetes'] } };
  return object.kind === 'DaemonSet' ? withTemplateGeneration(withStatus) : withStatus;
}

/** The class of claims that name none. A cluster has a default class, too; kind and minikube use this name. */
const DEFAULT_CLASS = 'standard';

/**
 * The object with the finalizer that keeps it while it is in use, if its kind has one.
 * Source: plugin/pkg/admission/storage/storageobjectinuseprotection.
 */
export function withProtection<T extends KubeObject>(object: T): T {
  const protection = PROTECTION[object.kind];
  const { finalizers = [] } = object.metadata;
  if (protection === undefined || finalizers.includes(protection)) return object;
  return { ...object, metadata: { ...object.metadata, finalizers: [...finalizers, protection] } };
}

/** Source: plugin/pkg/admission/storage/storageclass/setdefault. */
function withClass(claim: PersistentVolumeClaim & KubeObject): PersistentVolumeClaim & KubeObject {
  return { ...claim, spec: { ...claim.spec, storageClassName: claim.spec?.storageClassName ?? DEFAULT_CLASS } };
}

/** A Job without labels shows the labels of its template, also the generated ones. */
function withOwnLabels<T extends Job & KubeObject>(job: T): T {
  const labels = job.spec?.template.metadata?.labels;
  const hasLabels = Object.keys(job.metadata.labels ?? {}).length > 0;
  return hasLabels || labels === undefined ? job : { ...job, metadata: { ...job.metadata, labels } };
}

/**
 * Counts the templates of a DaemonSet. A count in the manifest is ignored. Source:
 * pkg/registry/apps/daemonset/strategy.go and pkg/apis/apps/v1/conversion.go.
 * @param stored the DaemonSet before a change. Undefined: it is new
 */
export function withTemplateGeneration<T extends KubeObject>(daemonSet: T, stored?: KubeObject): T {
  const before = stored?.metadata.annotations?.[TEMPLATE_GENERATION];
  const isSame = stored !== undefined && isSameJson(templateOf(stored), templateOf(daemonSet));
  if (isSame && before === undefined) return daemonSet;
  const count = { [TEMPLATE_GENERATION]: isSame ? before : String(Number(before ?? 0) + 1) };
  const { metadata } = daemonSet;
  return { ...daemonSet, metadata: { ...metadata, annotations: { ...metadata.annotations, ...count } } };
}

function templateOf(daemonSet: DaemonSet): unknown {
  return daemonSet.spec?.template;
}
