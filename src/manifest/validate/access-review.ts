import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  LocalSubjectAccessReview,
  ResourceAttributes,
  SelfSubjectAccessReview,
  SubjectAccessReview,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, type FieldError, type GoShape, inGo, invalid, required } from '../base/field-error.ts';
import { each } from './checks.ts';
import { validateOperator, validateRequirement } from './labels.ts';

/**
 * The reviews of access.
 * Source: pkg/apis/authorization/validation/validation.go.
 */

const PATH_SHAPE: GoShape = { Path: ['path', ''], Verb: ['verb', ''] };

type AccessSpec = Decoded<SubjectAccessReview>['spec'];

/** A SelfSubjectAccessReview: about the user of the request. */
export function validateSelfAccessReview({ spec = {}, metadata }: Decoded<SelfSubjectAccessReview>): FieldError[] {
  return [...validateAttributes(spec), ...validateEmptyMetadata(metadata, [], 'must be empty')];
}

/** A SubjectAccessReview. */
export function validateAccessReview({ spec = {}, metadata }: Decoded<SubjectAccessReview>): FieldError[] {
  return [...validateSpec(spec), ...validateEmptyMetadata(metadata, [], 'must be empty')];
}

/** A LocalSubjectAccessReview: within its namespace. */
export function validateLocalAccessReview({ spec = {}, metadata }: Decoded<LocalSubjectAccessReview>): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  const namespace = resourceAttributes?.namespace ?? '';
  const isOther = resourceAttributes !== undefined && namespace !== (metadata?.namespace ?? '');
  const paths = inGo(nonResourceAttributes, PATH_SHAPE);
  return [
    ...validateSpec(spec),
    ...validateEmptyMetadata(metadata, ['namespace'], 'must be empty except for namespace'),
    ...(isOther ? [invalid('spec.resourceAttributes.namespace', namespace, 'must match metadata.namespace')] : []),
    ...(nonResourceAttributes === undefined
      ? []
      : [invalid('spec.nonResourceAttributes', paths, 'disallowed on this kind of request')]),
  ];
}

function validateSpec(spec: NonNullable<AccessSpec>): FieldError[] {
  const isWithoutUser = !spec.user && (spec.groups ?? []).length === 0;
  return validateAttributes(spec, isWithoutUser ? [invalid('spec.user', '', USER_NEEDED)] : []);
}

const USER_NEEDED = 'at least one of user or group must be specified';
const ONE_NEEDED = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
const ONE_ALLOWED = 'cannot be specified in combination with resourceAttributes';

/** @param between what comes before the mistakes of the attributes themselves */
function validateAttributes(
  { resourceAttributes, nonResourceAttributes }: NonNullable<Decoded<SelfSubjectAccessReview>['spec']>,
  between: readonly FieldError[] = [],
): FieldError[] {
  const hasBoth = resourceAttributes !== undefined && nonResourceAttributes !== undefined;
  const hasNone = resourceAttributes === undefined && nonResourceAttributes === undefined;
  return [
    ...(hasBoth ? [invalid('spec.nonResourceAttributes', inGo(nonResourceAttributes, PATH_SHAPE), ONE_ALLOWED)] : []),
    ...(hasNone ? [invalid('spec.resourceAttributes', null, ONE_NEEDED)] : []),
    ...between,
    ...validateSelectors('spec.resourceAttributes', resourceAttributes ?? {}),
  ];
}

function validateSelectors(path: string, attributes: Decoded<ResourceAttributes>): FieldError[] {
  const fields = child(path, 'fieldSelector');
  const labels = child(path, 'labelSelector');
  const { fieldSelector, labelSelector } = attributes;
  // Newer clients may know operators that this server does not.
  const isKnown = ({ path: at }: FieldError): boolean => !at.endsWith('.operator');
  return [
    ...validateSelector(fields, fieldSelector),
    ...each(child(fields, 'requirements'), fieldSelector?.requirements, ({ key, operator = '', values }, at) => [
      ...(key ? [] : [required(child(at, 'key'), 'must be specified')]),
      ...validateOperator(at, operator, values ?? []).filter(isKnown),
    ]),
    ...validateSelector(labels, labelSelector),
    ...each(child(labels, 'requirements'), labelSelector?.requirements, validateRequirement).filter(isKnown),
  ];
}

type Selector = Decoded<FieldSelectorAttributes> | Decoded<LabelSelectorAttributes>;

function validateSelector(path: string, selector: Selector | undefined): FieldError[] {
  if (selector === undefined) return [];
  const { rawSelector = '', requirements = [] } = selector;
  if (rawSelector !== '' && requirements.length > 0)
    return [invalid(child(path, 'rawSelector'), rawSelector, 'may not specified at the same time as requirements')];
  if (rawSelector !== '' || requirements.length > 0) return [];
  const detail = `when ${path} is specified, requirements or rawSelector is required`;
  return [required(child(path, 'requirements'), detail)];
}

/** @param allowed the fields that metadata may have, beside its managers */
function validateEmptyMetadata(metadata: object = {}, allowed: readonly string[], detail: string): FieldError[] {
  const free = new Set(['managedFields', ...allowed]);
  const isEmpty = Object.entries(metadata).every(([name, value]) => free.has(name) || value === undefined);
  return isEmpty ? [] : [invalid('metadata', metadata, detail)];
}
