import { goQuote, type KubeObject, PodrunError, type StoredKubeObject } from '../api/index.ts';
import { isSameTemplate, NOT_COPIED, withoutHashLabel } from './deployment/revisions.ts';
import type { StoredDeployment } from './base/reconcile.ts';
import type { TemplateRevision } from './template-history.ts';

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
  const found = wanted === PREVIOUS ? history.at(-2) : history.find(({ revision }) => revision === wanted);
  if (found !== undefined) return found;
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
