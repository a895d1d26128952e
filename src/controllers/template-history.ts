import type { PodTemplateSpec, StoredKubeObject } from '../api/index.ts';
import { REVISION } from './deployment/revisions.ts';
import { isControlledBy } from './base/ownership.ts';
import type { StoredReplicaSet, StoredRevision } from './base/reconcile.ts';
import { templateOfRevision } from './base/revision-history.ts';

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

/** The template as `rollout history` shows it: that of a Deployment with the reason as an annotation. */
export function shownTemplate({ template, changeCause, keeper }: TemplateRevision): PodTemplateSpec {
  if (changeCause === undefined || keeper.kind !== 'ReplicaSet') return template;
  const annotations = { ...template.metadata?.annotations, [CHANGE_CAUSE]: changeCause };
  return { ...template, metadata: { ...template.metadata, annotations } };
}
