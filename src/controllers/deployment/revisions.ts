import { isSameJson, type PodTemplateSpec } from '../../api/index.ts';
import { templateHash } from '../base/names.ts';
import { controllerReference, hasDeletionTimestamp } from '../base/ownership.ts';
import type { NewObject, StoredDeployment, StoredReplicaSet } from '../base/reconcile.ts';
import { fencepostsOf } from './rollout-arithmetic.ts';

/** ReplicaSets as revisions of a Deployment. Source of all rules here: deployment/util/deployment_util.go, sync.go. */

const HASH_LABEL = 'pod-template-hash';
export const REVISION = 'deployment.kubernetes.io/revision';
const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';

/** Annotations of a Deployment that its ReplicaSets do not get. Source: annotationsToSkip. */
export const NOT_COPIED: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  'deprecated.deployment.rollback.to',
]);

type Annotations = Readonly<Record<string, string>>;

/** The ReplicaSet of the Deployment's template, and all other ReplicaSets, the oldest first. */
export interface Revisions {
  readonly current: StoredReplicaSet | undefined;
  readonly olds: readonly StoredReplicaSet[];
}

/** Source: FindNewReplicaSet, FindOldReplicaSets. */
export function revisionsOf(deployment: StoredDeployment, replicaSets: readonly StoredReplicaSet[]): Revisions {
  const inOrder = replicaSets.toSorted(byCreation);
  const current = inOrder.find(({ spec }) => isSameTemplate(spec.template, deployment.spec.template));
  return { current, olds: inOrder.filter((replicaSet) => replicaSet !== current) };
}

function byCreation({ metadata: a }: StoredReplicaSet, { metadata: b }: StoredReplicaSet): number {
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp ? -1 : 1;
  return a.name < b.name ? -1 : Number(a.name > b.name);
}

/** True when two templates differ at most in the label of their hash. Source: EqualIgnoreHash. */
export function isSameTemplate(ours: PodTemplateSpec | undefined, wanted: PodTemplateSpec): boolean {
  return ours !== undefined && isSameJson(withoutHashLabel(ours), withoutHashLabel(wanted));
}

/** The template of a ReplicaSet as its Deployment has it. */
export function withoutHashLabel({ metadata, spec }: PodTemplateSpec): PodTemplateSpec {
  const labels = Object.fromEntries(Object.entries(metadata?.labels ?? {}).filter(([key]) => key !== HASH_LABEL));
  const { creationTimestamp: _, ...rest } = metadata ?? {};
  return { metadata: { ...rest, labels }, spec };
}

/** Source: Revision, which has 64 bits: more than a number holds exactly. */
function revisionOf({ metadata }: Pick<StoredReplicaSet, 'metadata'>): bigint {
  const text = metadata.annotations?.[REVISION] ?? '';
  return /^\d+$/.test(text) ? BigInt(text) : 0n;
}

export function desiredReplicasOf({ metadata }: StoredReplicaSet): number | undefined {
  return numberIn(metadata.annotations?.[DESIRED_REPLICAS]);
}

export function maxReplicasOf({ metadata }: StoredReplicaSet): number | undefined {
  return numberIn(metadata.annotations?.[MAX_REPLICAS]);
}

function numberIn(text: string | undefined): number | undefined {
  return text === undefined || !/^-?\d+$/.test(text) ? undefined : Number(text);
}

/** The revision that the Deployment's template has, or gets when its ReplicaSet is made or used again. */
function nextRevision(olds: readonly StoredReplicaSet[]): bigint {
  return olds.map(revisionOf).reduce((highest, revision) => (revision > highest ? revision : highest), 0n) + 1n;
}

/** The annotations by which a ReplicaSet remembers the size of its Deployment. Source: SetReplicasAnnotations. */
export function sizeAnnotations(deployment: StoredDeployment): Annotations {
  const { replicas = 1 } = deployment.spec;
  return {
    [DESIRED_REPLICAS]: String(replicas),
    [MAX_REPLICAS]: String(replicas + fencepostsOf(deployment).surge),
  };
}

function copiedAnnotations({ metadata }: StoredDeployment): Annotations {
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([key]) => !NOT_COPIED.has(key)));
}

/**
 * The annotations that the ReplicaSet of the Deployment's template is to get. One that becomes the newest again gets
 * the next revision, and keeps the old one as history. Empty: it has them all. Source: SetNewReplicaSetAnnotations.
 */
export function missingAnnotations(
  deployment: StoredDeployment,
  { current, olds }: Revisions & { readonly current: StoredReplicaSet },
): Annotations {
  const { annotations = {} } = current.metadata;
  const revision = nextRevision(olds);
  const wanted = {
    ...copiedAnnotations(deployment),
    ...(revisionOf(current) < revision ? newer(annotations, revision) : {}),
  };
  return Object.fromEntries(Object.entries(wanted).filter(([key, value]) => annotations[key] !== value));
}

function newer(annotations: Annotations, revision: bigint): Annotations {
  const old = annotations[REVISION];
  if (old === undefined) return { [REVISION]: String(revision) };
  const history = annotations[REVISION_HISTORY];
  return { [REVISION]: String(revision), [REVISION_HISTORY]: history ? `${history},${old}` : old };
}

/** The ReplicaSet of a new revision. Source: sync.go getNewReplicaSet. */
export function newReplicaSet(
  deployment: StoredDeployment,
  olds: readonly StoredReplicaSet[],
  replicas: number,
): NewObject & { readonly metadata: { readonly annotations: Annotations } } {
  const { apiVersion, metadata, spec, status } = deployment;
  const hash = templateHash(spec.template, status?.collisionCount);
  const labels = { ...spec.template.metadata?.labels, [HASH_LABEL]: hash };
  const annotations = {
    ...copiedAnnotations(deployment),
    [REVISION]: String(nextRevision(olds)),
    ...sizeAnnotations(deployment),
  };
  return {
    apiVersion,
    kind: 'ReplicaSet',
    metadata: {
      name: `${metadata.name}-${hash}`,
      namespace: metadata.namespace,
      labels,
      annotations,
      ownerReferences: [controllerReference(deployment)],
    },
    spec: {
      replicas,
      ...(spec.minReadySeconds ? { minReadySeconds: spec.minReadySeconds } : {}),
      selector: { ...spec.selector, matchLabels: { ...spec.selector?.matchLabels, [HASH_LABEL]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
}

/**
 * Old ReplicaSets beyond the limit of the history that have no Pods, lowest revision first. Source: cleanupDeployment.
 */
export function expiredRevisions({ spec }: StoredDeployment, olds: readonly StoredReplicaSet[]): StoredReplicaSet[] {
  const { revisionHistoryLimit } = spec;
  if (revisionHistoryLimit === undefined) return [];
  const living = olds.filter((replicaSet) => !hasDeletionTimestamp(replicaSet));
  const surplus = Math.max(0, living.length - revisionHistoryLimit);
  return living
    .toSorted((a, b) => Number(revisionOf(a) - revisionOf(b)))
    .slice(0, surplus)
    .filter(({ spec: { replicas = 0 }, status, metadata }) => {
      const isSeen = (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
      return replicas === 0 && (status?.replicas ?? 0) === 0 && isSeen;
    });
}
