import { ownValue } from '../base/json.ts';
import type { LabelSelector, LabelSelectorRequirement } from '../generated/types.ts';

type Labels = Readonly<Record<string, string>>;

/**
 * True when the selector of an object matches these labels. A missing selector matches nothing, an empty one
 * everything. Source: apimachinery/pkg/apis/meta/v1/helpers.go LabelSelectorAsSelector.
 */
export function matchesSelector(selector: LabelSelector | undefined, labels: Labels = {}): boolean {
  if (selector === undefined) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  return (
    Object.entries(matchLabels).every(([key, value]) => ownValue(labels, key) === value) &&
    matchExpressions.every((requirement) => holds(requirement, labels))
  );
}

function holds({ key, operator, values = [] }: LabelSelectorRequirement, labels: Labels): boolean {
  const value = ownValue(labels, key);
  switch (operator) {
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    default:
      return false;
  }
}
