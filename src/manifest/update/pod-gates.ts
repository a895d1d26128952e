import type { Affinity, NodeSelectorTerm, PodSchedulingGate, PodSpec } from '../../api/index.ts';
import { lookUp, entriesByKey, type Decoded } from '../base/decoded.ts';
import { type FieldError, forbidden, invalid } from '../base/field-error.ts';
import { omit } from '../default/fill.ts';
import { child, item } from '../base/path.ts';
import { isSameValue } from './same-value.ts';

/**
 * Changes of a Pod's placement. While scheduling gates hold the Pod back, the placement may become narrower (KEP-3838).
 * Source: pkg/apis/core/validation/validation.go, validateOnlyDeletedSchedulingGates and below.
 */

type Spec = Decoded<PodSpec>;
type Gates = readonly Decoded<PodSchedulingGate>[];
type Term = Decoded<NodeSelectorTerm>;

const TERMS = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms';

export function validateGates(before: Gates, after: Gates): FieldError[] {
  const known = new Set(before.map(({ name }) => name));
  return after.flatMap(({ name }, index) => {
    if (known.has(name)) return [];
    const text = `only deletion is allowed, but found new scheduling gate '${name ?? ''}'`;
    return [forbidden(child(item('spec.schedulingGates', index), 'name'), text)];
  });
}

/** Validates changes of the node selector and node affinity of a Pod with scheduling gates. */
export function validatePlacement(before: Spec, after: Spec): FieldError[] {
  return isGated(before) ? [...validateNodeSelector(before, after), ...validateTerms(before, after)] : [];
}

/** The old values of the fields that `validatePlacement` checks. Empty for a Pod without scheduling gates. */
export function placementOf(before: Spec, after: Spec): Pick<Spec, 'nodeSelector' | 'affinity'> {
  if (!isGated(before)) return {};
  const nodeAffinity = before.affinity?.nodeAffinity;
  const others: Decoded<Affinity> = omit(after.affinity ?? {}, ['nodeAffinity']);
  const affinity = nodeAffinity === undefined ? others : { ...others, nodeAffinity };
  const isNone = before.affinity === undefined && Object.keys(affinity).length === 0;
  return { nodeSelector: before.nodeSelector, affinity: isNone ? undefined : affinity };
}

function isGated({ schedulingGates }: Spec): boolean {
  return (schedulingGates ?? []).length > 0;
}

function validateNodeSelector({ nodeSelector: before }: Spec, { nodeSelector: after }: Spec): FieldError[] {
  if (entriesByKey(before).every(([key, value]) => lookUp(after, key) === value)) return [];
  const text = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
  return [invalid('spec.nodeSelector', after ?? {}, text)];
}

function validateTerms(before: Spec, after: Spec): FieldError[] {
  const [had, has] = [termsOf(before), termsOf(after)];
  if (had.length === 0) return [];
  if (had.length !== has.length) {
    return [invalid(TERMS, has, 'no additions/deletions to non-empty NodeSelectorTerms list are allowed')];
  }
  return has.flatMap((term, index) => {
    if (isExtended(had[index] ?? {}, term)) return [];
    return [invalid(item(TERMS, index), term, 'only additions are allowed (no mutations or deletions)')];
  });
}

function termsOf({ affinity }: Spec): readonly Term[] {
  return affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
}

/** True when requirements were added to a term. A term without requirements matches no node, and must stay empty. */
function isExtended(before: Term, after: Term): boolean {
  const lists = (['matchExpressions', 'matchFields'] as const).map((field) => [
    before[field] ?? [],
    after[field] ?? [],
  ]);
  if (lists.every(([had]) => had?.length === 0)) return lists.every(([, has]) => has?.length === 0);
  return lists.every(([had = [], has = []]) => isSameValue(had, has.slice(0, had.length), '[]NodeSelectorRequirement'));
}
