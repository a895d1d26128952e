import { goQuote, type KubeObject, PodrunError, type PodTemplateSpec, type StoredKubeObject } from '../api/index.ts';
import { isControlledBy } from './base/ownership.ts';
import type { StoredDeployment, StoredReplicaSet, StoredRevision } from './base/reconcile.ts';
import { templateOfRevision } from './base/revision-history.ts';
import { isSameTemplate, NOT_COPIED, REVISION, withoutHashLabel } from './deployment/revisions.ts';

/** The number of revision 0, which means the one before the present one. */
const PREVIOUS = 0;

/**
 * The revision to return to. Source: kubectl/pkg/polymorphichelpers/rollback.go.
 * @param history the lowest revision first
 * @param wanted its number; 0: the one before the last
 * @throws {PodrunError} in kubectl's words, when there is none
 */
export function revisionToRestore(
  workload: StoredKubeObject,
  history: readonly TemplateRevision[],
  wanted: number,
): TemplateRevision {
  const target = wanted === PREVIOUS ? history.at(-2) : history.find(({ revision }) => revision === wanted);
  if (target !== undefined) return target;
  if (wanted !== PREVIOUS) throw new PodrunError('NotFound', `unable to find specified revision ${wanted} in history`);
  if (workload.kind !== 'Deployment') throw new PodrunError('NotFound', 'no last revision to roll back to');
  throw new PodrunError('NotFound', `no rollout history found for deployment ${goQuote(workload.metadata.name)}`);
}

/**
 * The workload with the template of an earlier revision. A Deployment also gets the annotations of its ReplicaSet.
 * Undefined when it has that template. Source: kubectl/pkg/polymorphichelpers/rollback.go Rollback, getDeploymentPatch.
 * @throws {PodrunError} when the Deployment is paused
 */
export function rolledBack(workload: KubeObject, { template, keeper }: TemplateRevision): KubeObject | undefined {
  const { spec } = workload as unknown as StoredDeployment;
  if (workload.kind === 'Deployment' && spec.paused === true) {
    const remedy = "resume it first with 'kubectl rollout resume' and try again";
    const hint = `Here: podrun rollout resume deployment/${workload.metadata.name}`;
    throw new PodrunError('Conflict', `you cannot rollback a paused deployment; ${remedy}`, { hint });
  }
  if (isSameTemplate(template, spec.template)) return undefined;
  if (workload.kind !== 'Deployment') return { ...workload, spec: { ...spec, template } };
  const own = Object.entries(workload.metadata.annotations ?? {}).filter(([key]) => NOT_COPIED.has(key));
  const kept = Object.entries(keeper.metadata.annotations ?? {}).filter(([key]) => !NOT_COPIED.has(key));
  const metadata = { ...workload.metadata, annotations: Object.fromEntries([...own, ...kept]) };
  return { ...workload, metadata, spec: { ...spec, template: withoutHashLabel(template) } };
}

/** The reason for a revision, in the words of its user. Source: kubectl/pkg/polymorphichelpers/history.go. */
const CHANGE_CAUSE = 'kubernetes.io/change-cause';

/** A Pod template that a workload has or had. */
export interface TemplateRevision {
  readonly revision: number;
  readonly template: PodTemplateSpec;
  /** Undefined: no reason was given. */
  readonly changeCause: string | undefined;
  /** The ReplicaSet or ControllerRevision that keeps the template. */
  readonly keeper: StoredKubeObject;
}

/** The plural of the kind that keeps the templates of a workload. Undefined for kinds without a history. */
export function historyResourceOf(kind: string): 'controllerrevisions' | 'replicasets' | undefined {
  if (kind === 'Deployment') return 'replicasets';
  return kind === 'DaemonSet' || kind === 'StatefulSet' ? 'controllerrevisions' : undefined;
}

/**
 * The templates of a workload, the lowest revision first.
 * Source: kubectl/pkg/polymorphichelpers/history.go.
 * @param keepers the ReplicaSets or ControllerRevisions of its namespace
 */
export function templateHistory(
  workload: StoredKubeObject,
  keepers: readonly StoredKubeObject[],
): readonly TemplateRevision[] {
  const owned = keepers.filter((keeper) => isControlledBy(keeper, workload));
  return owned.flatMap((keeper) => revisionOfKeeper(keeper) ?? []).toSorted((a, b) => a.revision - b.revision);
}

function revisionOfKeeper(keeper: StoredKubeObject): TemplateRevision | undefined {
  const { annotations = {} } = keeper.metadata;
  const changeCause = annotations[CHANGE_CAUSE] || undefined;
  if (keeper.kind === 'ControllerRevision') {
    const stored = keeper as unknown as StoredRevision;
    const template = templateOfRevision(stored);
    return template && { revision: stored.revision, template, changeCause, keeper };
  }
  const { template } = (keeper as unknown as StoredReplicaSet).spec;
  const revision = Number(annotations[REVISION]);
  return template && Number.isInteger(revision) ? { revision, template, changeCause, keeper } : undefined;
}

/** The template as `rollout history` shows it: for a Deployment with the reason as an annotation. */
export function shownTemplate({ template, changeCause, keeper }: TemplateRevision): PodTemplateSpec {
  if (changeCause === undefined || keeper.kind !== 'ReplicaSet') return template;
  const annotations = { ...template.metadata?.annotations, [CHANGE_CAUSE]: changeCause };
  return { ...template, metadata: { ...template.metadata, annotations } };
}
