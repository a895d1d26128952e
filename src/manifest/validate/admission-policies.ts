import type {
  AdmissionregistrationMatchResources,
  AdmissionregistrationValidatingAdmissionPolicy,
  AdmissionregistrationValidatingAdmissionPolicyBinding,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../base/field-error.ts';
import { validateAdmissionRule } from './admission-rules.ts';
import { each, oneOfIfSet, requiredOneOf, requiredText } from './checks.ts';
import { validateLabelSelector } from './labels.ts';
import { child } from '../base/path.ts';

const FAILURE_POLICIES = ['Fail', 'Ignore'];
const MATCH_POLICIES = ['Equivalent', 'Exact'];
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge', 'Unauthorized'];
const ACTIONS = ['Audit', 'Deny', 'Warn'];
const NOT_FOUND_ACTIONS = ['Allow', 'Deny'];

/**
 * A ValidatingAdmissionPolicy. The server checks its expressions itself.
 * Source: pkg/apis/admissionregistration/validation/validation.go.
 */
export function validateAdmissionPolicy({
  spec = {},
}: Decoded<AdmissionregistrationValidatingAdmissionPolicy>): FieldError[] {
  const { failurePolicy, paramKind, matchConstraints, validations = [], auditAnnotations = [], variables } = spec;
  const none = 'validations or auditAnnotations must contain at least one item';
  const isEmpty = validations.length === 0 && auditAnnotations.length === 0;
  return [
    ...oneOfIfSet('spec.failurePolicy', failurePolicy, FAILURE_POLICIES),
    ...(paramKind === undefined
      ? []
      : [
          ...requiredText('spec.paramKind.apiVersion', paramKind.apiVersion),
          ...requiredText('spec.paramKind.kind', paramKind.kind),
        ]),
    ...(matchConstraints === undefined
      ? [required('spec.matchConstraints')]
      : validateConstraints('spec.matchConstraints', matchConstraints)),
    ...each('spec.variables', variables, ({ name, expression }, at) => [
      ...requiredText(child(at, 'name'), name),
      ...requiredText(child(at, 'expression'), expression?.trim()),
    ]),
    ...(isEmpty ? [required('spec.validations', none), required('spec.auditAnnotations', none)] : []),
    ...each('spec.validations', validations, ({ expression, message = '', reason }, at) => [
      ...requiredText(child(at, 'expression'), expression?.trim()),
      ...(/[\r\n]/.test(message) ? [invalid(child(at, 'message'), message, 'must not contain line breaks')] : []),
      ...oneOfIfSet(child(at, 'reason'), reason, REASONS),
    ]),
  ];
}

/** The selection of a policy: it has a rule, so that the types of expressions are known. */
function validateConstraints(at: string, match: Decoded<AdmissionregistrationMatchResources>): FieldError[] {
  const none = (match.resourceRules ?? []).length === 0 ? [required(child(at, 'resourceRules'))] : [];
  return [...validateMatch(at, match), ...none];
}

function validateMatch(at: string, match: Decoded<AdmissionregistrationMatchResources>): FieldError[] {
  const { namespaceSelector, objectSelector, resourceRules, excludeResourceRules, matchPolicy } = match;
  return [
    ...oneOfIfSet(child(at, 'matchPolicy'), matchPolicy, MATCH_POLICIES),
    ...validateLabelSelector(child(at, 'namespaceSelector'), namespaceSelector),
    ...validateLabelSelector(child(at, 'objectSelector'), objectSelector),
    ...each(child(at, 'resourceRules'), resourceRules, validateAdmissionRule),
    ...each(child(at, 'excludeResourceRules'), excludeResourceRules, validateAdmissionRule),
  ];
}

/** A ValidatingAdmissionPolicyBinding. Source: pkg/apis/admissionregistration/validation/validation.go. */
export function validatePolicyBinding({
  spec = {},
}: Decoded<AdmissionregistrationValidatingAdmissionPolicyBinding>): FieldError[] {
  const { policyName, paramRef, matchResources, validationActions = [] } = spec;
  return [
    ...requiredText('spec.policyName', policyName),
    ...(paramRef === undefined ? [] : validateParamRef('spec.paramRef', paramRef)),
    ...(matchResources === undefined ? [] : validateMatch('spec.matchResources', matchResources)),
    ...validateActions('spec.validationActions', validationActions),
  ];
}

type Spec = NonNullable<AdmissionregistrationValidatingAdmissionPolicyBinding['spec']>;

function validateParamRef(
  at: string,
  { name, selector, parameterNotFoundAction }: Decoded<NonNullable<Spec['paramRef']>>,
): FieldError[] {
  const both = 'name and selector are mutually exclusive';
  const errors =
    name && selector !== undefined
      ? [forbidden(child(at, 'name'), both), forbidden(child(at, 'selector'), both)]
      : name || selector !== undefined
        ? []
        : [required(at, 'one of name or selector must be specified')];
  return [
    ...errors,
    ...requiredOneOf(child(at, 'parameterNotFoundAction'), parameterNotFoundAction, NOT_FOUND_ACTIONS),
  ];
}

function validateActions(at: string, actions: readonly string[]): FieldError[] {
  const repeated =
    'must not contain both Deny and Warn (repeating the same validation failure information in the API response and ' +
    'headers serves no purpose)';
  return [
    ...each(at, actions, (action, path, index) => {
      if (!ACTIONS.includes(action)) return [notSupported(path, action, ACTIONS)];
      return actions.indexOf(action) < index ? [duplicate(path, action)] : [];
    }),
    ...(actions.includes('Deny') && actions.includes('Warn') ? [invalid(at, actions, repeated)] : []),
    ...(actions.length === 0 ? [required(at, 'at least one validation action is required')] : []),
  ];
}
