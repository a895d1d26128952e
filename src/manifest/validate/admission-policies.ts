import {
  type AdmissionregistrationMatchResources,
  type AdmissionregistrationMutatingAdmissionPolicy,
  type AdmissionregistrationMutatingAdmissionPolicyBinding,
  type AdmissionregistrationMutation,
  type AdmissionregistrationParamKind,
  type AdmissionregistrationVariable,
  type AdmissionregistrationValidatingAdmissionPolicy,
  type AdmissionregistrationValidatingAdmissionPolicyBinding,
  qualifiedNameMessages,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { child, duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../base/field-error.ts';
import { validateAdmissionRule } from './admission-rules.ts';
import { each, oneOfIfSet, requiredOneOf, requiredText, requiredWellFormed, wellFormed } from './checks.ts';
import { validateLabelSelector } from './labels.ts';
import { nameOf } from './metadata.ts';

const FAILURE_POLICIES = ['Fail', 'Ignore'];
const MATCH_POLICIES = ['Equivalent', 'Exact'];
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const ACTIONS = ['Audit', 'Deny', 'Warn'];
const MUTATED = ['CREATE', 'UPDATE'];
const PATCH_TYPES = ['ApplyConfiguration', 'JSONPatch'];
const REINVOCATION_POLICIES = ['IfNeeded', 'Never'];
const NOT_FOUND_ACTIONS = ['Allow', 'Deny'];

/**
 * A ValidatingAdmissionPolicy. The server checks its expressions itself.
 * Source: pkg/apis/admissionregistration/validation/validation.go.
 */
export function validateAdmissionPolicy({
  metadata,
  spec = {},
}: Decoded<AdmissionregistrationValidatingAdmissionPolicy>): FieldError[] {
  const { failurePolicy, paramKind, matchConstraints, validations = [], auditAnnotations = [], variables } = spec;
  const none = 'validations or auditAnnotations must contain at least one item';
  const isEmpty = validations.length === 0 && auditAnnotations.length === 0;
  return [
    ...oneOfIfSet('spec.failurePolicy', failurePolicy, FAILURE_POLICIES),
    ...validateParamKind('spec.paramKind', paramKind),
    ...(matchConstraints === undefined
      ? [required('spec.matchConstraints')]
      : validateConstraints('spec.matchConstraints', matchConstraints)),
    ...each('spec.variables', variables, validateVariable),
    ...(isEmpty ? [required('spec.validations', none), required('spec.auditAnnotations', none)] : []),
    ...each('spec.validations', validations, ({ expression, message = '', reason }, at) => [
      ...requiredText(child(at, 'expression'), expression?.trim()),
      ...(/[\r\n]/.test(message) ? [invalid(child(at, 'message'), message, 'must not contain line breaks')] : []),
      ...oneOfIfSet(child(at, 'reason'), reason, REASONS),
    ]),
    ...each('spec.auditAnnotations', auditAnnotations, ({ key = '' }, at) => [
      // In an audit event the key has the name of its policy before it.
      ...requiredText(child(at, 'key'), key),
      ...(key === '' ? [] : wellFormed(child(at, 'key'), `${nameOf(metadata)}/${key}`, qualifiedNameMessages)),
    ]),
  ];
}

/**
 * A MutatingAdmissionPolicy. The server checks its expressions itself.
 * Source: pkg/apis/admissionregistration/validation/validation.go.
 */
export function validateMutatingPolicy({
  spec = {},
}: Decoded<AdmissionregistrationMutatingAdmissionPolicy>): FieldError[] {
  const { failurePolicy, paramKind, matchConstraints, variables, mutations = [], reinvocationPolicy } = spec;
  const none = 'mutations must contain at least one item';
  return [
    ...oneOfIfSet('spec.failurePolicy', failurePolicy, FAILURE_POLICIES),
    ...validateParamKind('spec.paramKind', paramKind),
    ...(matchConstraints === undefined
      ? [required('spec.matchConstraints')]
      : [
          ...validateConstraints('spec.matchConstraints', matchConstraints),
          ...validateMutated('spec.matchConstraints', matchConstraints),
        ]),
    ...each('spec.variables', variables, validateVariable),
    ...(mutations.length === 0 ? [required('spec.mutations', none)] : []),
    ...each('spec.mutations', mutations, validateMutation),
    ...requiredOneOf('spec.reinvocationPolicy', reinvocationPolicy, REINVOCATION_POLICIES),
  ];
}

/** A mutation has the part that its type names, and no other. */
function validateMutation(
  { patchType, applyConfiguration, jsonPatch }: Decoded<AdmissionregistrationMutation>,
  at: string,
): FieldError[] {
  const wrong = requiredOneOf(child(at, 'patchType'), patchType, PATCH_TYPES);
  if (patchType === undefined || wrong.length > 0) return wrong;
  const parts = { applyConfiguration, jsonPatch };
  const [own, other] =
    patchType === 'JSONPatch'
      ? (['jsonPatch', 'applyConfiguration'] as const)
      : (['applyConfiguration', 'jsonPatch'] as const);
  const [path, text] = [child(at, own), parts[own]?.expression];
  return [
    ...(parts[own] === undefined
      ? [required(path, `must be specified when patchType is ${patchType}`)]
      : requiredText(child(path, 'expression'), text?.trim())),
    ...(parts[other] === undefined
      ? []
      : [invalid(child(at, other), `{${other}}`, `must not be specified when patchType is ${patchType}`)]),
  ];
}

/** Operations that a policy cannot change: a deletion and a connection leave nothing to change. */
function validateMutated(at: string, { resourceRules }: Decoded<AdmissionregistrationMatchResources>): FieldError[] {
  const operations = (resourceRules ?? []).flatMap((rule) => rule.operations ?? []);
  return operations.flatMap((operation) =>
    MUTATED.includes(operation) ? [] : [notSupported(`${at}.resourceRules.operations`, operation, MUTATED)],
  );
}

function validateParamKind(at: string, kind: Decoded<AdmissionregistrationParamKind> | undefined): FieldError[] {
  if (kind === undefined) return [];
  const { apiVersion = '' } = kind;
  const path = child(at, 'apiVersion');
  const isVersion = apiVersion.split('/').length <= 2;
  return [
    ...requiredText(path, apiVersion),
    ...(isVersion ? [] : [invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]),
    ...requiredText(child(at, 'kind'), kind.kind),
  ];
}

function validateVariable({ name, expression }: Decoded<AdmissionregistrationVariable>, at: string): FieldError[] {
  return [
    ...requiredWellFormed(child(at, 'name'), name, identifierMessages),
    ...requiredText(child(at, 'expression'), expression?.trim()),
  ];
}

const identifierMessages = (name: string): string[] =>
  /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) ? [] : ['must be a valid CEL identifier'];

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

/** A MutatingAdmissionPolicyBinding. Source: pkg/apis/admissionregistration/validation/validation.go. */
export function validateMutatingBinding({
  spec = {},
}: Decoded<AdmissionregistrationMutatingAdmissionPolicyBinding>): FieldError[] {
  const { policyName, paramRef, matchResources } = spec;
  const at = 'spec.matchResources';
  return [
    ...requiredText('spec.policyName', policyName),
    ...(paramRef === undefined ? [] : validateParamRef('spec.paramRef', paramRef)),
    ...(matchResources === undefined
      ? []
      : [...validateMatch(at, matchResources), ...validateMutated(at, matchResources)]),
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
