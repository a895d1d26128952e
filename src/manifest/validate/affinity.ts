import {
  type Affinity,
  labelMessages,
  type LabelSelector,
  labelValueMessages,
  type NodeAffinity,
  type NodeSelector,
  type NodeSelectorRequirement,
  type NodeSelectorTerm,
  type PodAffinity,
  type PodAffinityTerm,
  qualifiedNameMessages,
  subdomainMessages,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, type FieldError, forbidden, invalid, item, required } from '../base/field-error.ts';
import { each, wellFormed } from './checks.ts';
import { validateLabelSelector, validateOperator } from './labels.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';
const WEIGHT_MAX = 100;
/** The only field of a node that a term can name. */
const NODE_NAME_FIELD = 'metadata.name';

/** Source: pkg/apis/core/validation/validation.go, validateAffinity. */
export function validateAffinity(path: string, affinity: Decoded<Affinity>): FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  return [
    ...(nodeAffinity ? validateNodeAffinity(child(path, 'nodeAffinity'), nodeAffinity) : []),
    ...(podAffinity ? validatePodAffinity(child(path, 'podAffinity'), podAffinity) : []),
    ...(podAntiAffinity ? validatePodAffinity(child(path, 'podAntiAffinity'), podAntiAffinity) : []),
  ];
}

/** Source: pkg/apis/core/validation/validation.go, ValidateNodeSelector, validateVolumeNodeAffinity. */
export function requiredNodeTerms(path: string, selector: Decoded<NodeSelector> | undefined): FieldError[] {
  if (selector === undefined) return [required(path, 'must specify required node constraints')];
  const terms = selector.nodeSelectorTerms ?? [];
  const termsPath = child(path, 'nodeSelectorTerms');
  if (terms.length === 0) return [required(termsPath, 'must have at least one node selector term')];
  return each(termsPath, terms, (term, at) => validateNodeTerm(term, at, true));
}

function validateNodeAffinity(path: string, affinity: Decoded<NodeAffinity>): FieldError[] {
  return [
    ...(affinity[REQUIRED] ? requiredNodeTerms(child(path, REQUIRED), affinity[REQUIRED]) : []),
    ...each(child(path, PREFERRED), affinity[PREFERRED], ({ weight = 0, preference = {} }, at) => [
      ...validateWeight(at, weight),
      // A preferred term may name values that no node can have.
      ...validateNodeTerm(preference, child(at, 'preference'), false),
    ]),
  ];
}

function validateWeight(path: string, weight: number): FieldError[] {
  const isGood = weight > 0 && weight <= WEIGHT_MAX;
  return isGood ? [] : [invalid(child(path, 'weight'), weight, 'must be in the range 1-100')];
}

function validateNodeTerm(term: Decoded<NodeSelectorTerm>, path: string, checksValues: boolean): FieldError[] {
  return [
    ...each(child(path, 'matchExpressions'), term.matchExpressions, (requirement, at) =>
      validateNodeLabel(requirement, at, checksValues),
    ),
    ...each(child(path, 'matchFields'), term.matchFields, validateNodeField),
  ];
}

function validateNodeLabel(
  { key = '', operator = '', values = [] }: Decoded<NodeSelectorRequirement>,
  path: string,
  checksValues: boolean,
): FieldError[] {
  const valuesPath = child(path, 'values');
  return [
    ...validateNodeOperator(path, operator, values),
    ...wellFormed(child(path, 'key'), key, qualifiedNameMessages),
    ...(checksValues ? each(valuesPath, values, (value, at) => wellFormed(at, value, labelValueMessages)) : []),
  ];
}

function validateNodeOperator(path: string, operator: string, values: readonly string[]): FieldError[] {
  if (operator !== 'Gt' && operator !== 'Lt') return validateOperator(path, operator, values);
  const text = "must be specified single value when `operator` is 'Lt' or 'Gt'";
  return values.length === 1 ? [] : [required(child(path, 'values'), text)];
}

function validateNodeField(requirement: Decoded<NodeSelectorRequirement>, path: string): FieldError[] {
  const { key = '', operator = '', values = [] } = requirement;
  const errors: FieldError[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    errors.push(invalid(child(path, 'operator'), operator, 'not a valid selector operator'));
  } else if (values.length !== 1) {
    const text = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    errors.push(required(child(path, 'values'), text));
  }
  if (key !== NODE_NAME_FIELD) return [...errors, invalid(child(path, 'key'), key, 'not a valid field selector key')];
  return [...errors, ...each(child(path, 'values'), values, (value, at) => wellFormed(at, value, subdomainMessages))];
}

/** Validates the fields that affinity and anti-affinity share. */
function validatePodAffinity(path: string, affinity: Decoded<PodAffinity>): FieldError[] {
  return [
    ...each(child(path, REQUIRED), affinity[REQUIRED], validatePodTerm),
    ...each(child(path, PREFERRED), affinity[PREFERRED], ({ weight = 0, podAffinityTerm = {} }, at) => [
      ...validateWeight(at, weight),
      ...validatePodTerm(podAffinityTerm, child(at, 'podAffinityTerm')),
    ]),
  ];
}

function validatePodTerm(term: Decoded<PodAffinityTerm>, path: string): FieldError[] {
  const { topologyKey = '', namespaces = [] } = term;
  const keyPath = child(path, 'topologyKey');
  return [
    ...validateLabelSelector(child(path, 'labelSelector'), term.labelSelector),
    ...validateLabelSelector(child(path, 'namespaceSelector'), term.namespaceSelector),
    // The path is singular and has no index, as upstream.
    ...namespaces.flatMap((name) => wellFormed(child(path, 'namespace'), name, labelMessages)),
    ...validateLabelKeys(path, term),
    ...(topologyKey ? [] : [required(keyPath, 'can not be empty')]),
    ...wellFormed(keyPath, topologyKey, qualifiedNameMessages),
  ];
}

/** Validates the label keys whose values the new Pod must share, or must not share, with the selected Pods. */
function validateLabelKeys(path: string, term: Decoded<PodAffinityTerm>): FieldError[] {
  const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = term;
  const matchPath = child(path, 'matchLabelKeys');
  const mismatches = new Set(mismatchLabelKeys);
  return [
    ...validateKeyList(matchPath, matchLabelKeys, labelSelector),
    ...validateKeyList(child(path, 'mismatchLabelKeys'), mismatchLabelKeys, labelSelector),
    ...matchLabelKeys.flatMap((name, index) =>
      mismatches.has(name)
        ? [invalid(item(matchPath, index), name, 'exists in both matchLabelKeys and mismatchLabelKeys')]
        : [],
    ),
  ];
}

function validateKeyList(
  path: string,
  keys: readonly string[],
  selector: Decoded<LabelSelector> | undefined,
): FieldError[] {
  if (keys.length === 0) return [];
  if (selector === undefined) return [forbidden(path, 'must not be specified when labelSelector is not set')];
  return each(path, keys, (name, at) => wellFormed(at, name, qualifiedNameMessages));
}
