import {
  type LabelSelector,
  type LabelSelectorRequirement,
  labelValueMessages,
  matchesSelector,
  qualifiedNameMessages,
} from '../../api/index.ts';
import { entriesByKey, type Decoded } from '../base/decoded.ts';
import { child, type FieldError, forbidden, invalid, required, tooLong } from '../base/field-error.ts';
import { each, wellFormed } from './checks.ts';

type TextMap = Readonly<Record<string, string | undefined>> | undefined;
type Selector = Decoded<LabelSelector>;

export const ANNOTATIONS_MAX_BYTES: number = 256 * 1024;

/** Validates keys and values of labels. The path is the path of the whole map. Source: apimachinery, ValidateLabels. */
export function validateLabels(path: string, labels: TextMap): FieldError[] {
  return entriesByKey(labels).flatMap(([name, value]) => [
    ...wellFormed(path, name, qualifiedNameMessages),
    ...wellFormed(path, value, labelValueMessages),
  ]);
}

/** Validates keys of annotations, in lower case, and their total size. Source: apimachinery, ValidateAnnotations. */
export function validateAnnotations(path: string, annotations: TextMap): FieldError[] {
  const entries = entriesByKey(annotations);
  const errors = entries.flatMap(([name]) =>
    qualifiedNameMessages(name.toLowerCase()).map((message) => invalid(path, name, message)),
  );
  const bytes = entries.reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value), 0);
  return bytes > ANNOTATIONS_MAX_BYTES ? [...errors, tooLong(path, ANNOTATIONS_MAX_BYTES)] : errors;
}

/** Validates a label selector. Source: apimachinery, ValidateLabelSelector. */
export function validateLabelSelector(path: string, selector: Selector | undefined): FieldError[] {
  return [
    ...validateLabels(child(path, 'matchLabels'), selector?.matchLabels),
    ...each(child(path, 'matchExpressions'), selector?.matchExpressions, validateRequirement),
  ];
}

/** Validates one requirement of a label selector. Source: apimachinery, ValidateLabelSelectorRequirement. */
export function validateRequirement(requirement: Decoded<LabelSelectorRequirement>, path: string): FieldError[] {
  const { operator = '', key = '', values } = requirement;
  return [
    ...validateOperator(path, operator, values ?? []),
    ...wellFormed(child(path, 'key'), key, qualifiedNameMessages),
    ...each(child(path, 'values'), values, (value, at) => wellFormed(at, value, labelValueMessages)),
  ];
}

/** Validates the operator of a requirement and its values. Pod and node selectors share the first four operators. */
export function validateOperator(path: string, operator: string, values: readonly string[]): FieldError[] {
  const valuesPath = child(path, 'values');
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0 ? [] : [required(valuesPath, "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [forbidden(valuesPath, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    default:
      return [invalid(child(path, 'operator'), operator, 'not a valid selector operator')];
  }
}

/** True for a selector that matches everything. A missing selector matches nothing. */
export function isEmptySelector(selector: Selector): boolean {
  const labels = Object.keys(selector.matchLabels ?? {}).length;
  return labels + (selector.matchExpressions ?? []).length === 0;
}

/** True when a valid selector matches these labels. */
export function selectorMatches(selector: Selector | undefined, labels: TextMap): boolean {
  return matchesSelector(selector as LabelSelector | undefined, labels as Readonly<Record<string, string>> | undefined);
}
