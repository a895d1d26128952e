import type { KubeObject } from '../../api/index.ts';
import type { AdmissionRequest } from './admission-request.ts';
import {
  bindingsOf,
  BUDGET_SPENT,
  CostBudget,
  evaluateExpression,
  meetsConditions,
  type Bindings,
} from './expressions.ts';
import {
  failedExpression,
  firstLine,
  invocationsOf,
  policyNames,
  withPolicyVariables,
  type Policies,
  type PolicySpec,
} from './policies.ts';

/** A ValidatingAdmissionPolicy. Source: k8s.io/api/admissionregistration/v1. */
export interface ValidatingPolicy extends KubeObject {
  readonly spec: PolicySpec & {
    readonly validations?: readonly PolicyValidation[];
    readonly auditAnnotations?: readonly AuditAnnotation[];
  };
}

export interface PolicyValidation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

interface AuditAnnotation {
  readonly key?: string;
  readonly valueExpression?: string;
}

/** A write that a policy does not permit. */
interface PolicyDenial {
  readonly message: string;
  /** The reason of the Status: `Invalid`, `Forbidden`, … */
  readonly reason: string;
}

/** The number of a validation that a write does not meet, from 0, and what the policy says. */
interface Violation extends PolicyDenial {
  readonly index: number;
}

/** The policies' answer to a write. */
interface PolicyVerdict {
  readonly denial: PolicyDenial | undefined;
  readonly warnings: readonly string[];
  /** For the audit event. */
  readonly annotations: Readonly<Record<string, string>>;
}

/** The annotation for the first violation of a binding with the action Audit. */
const VIOLATED = 'validation.policy.admission.k8s.io/validation_failure';

/** Characters of the value of an audit annotation. */
const ANNOTATION_MAX = 10 * 1024;

/** Asks the policies about a write. Source: apiserver/pkg/admission/plugin/policy/validating. */
export function askPolicies(policies: Policies<ValidatingPolicy>, request: AdmissionRequest): PolicyVerdict {
  const warnings: string[] = [];
  const own = new Map<string, string[]>();
  let [denial, violated]: [PolicyDenial?, string?] = [];
  for (const { policy, binding, params, problem } of invocationsOf(policies, request)) {
    const [{ name }, bindingName] = [policy.metadata, binding?.metadata.name];
    const names = `ValidatingAdmissionPolicy ${policyNames({ policy, binding })}`;
    const deny = ({ message, reason }: PolicyDenial): void => {
      denial ??= { message: `${names} denied request: ${message}`, reason };
    };
    // A binding that cannot be asked, and an annotation without a value, deny whatever the actions are.
    const { violations, failures, values } =
      problem === undefined
        ? judged(policy, request, params)
        : { violations: [], failures: failureOf(policy, problem), values: [] };
    const validationActions = binding?.spec.validationActions ?? ['Deny'];
    for (const violation of violations) {
      const { message, index: expressionIndex } = violation;
      if (validationActions.includes('Warn')) warnings.push(`Validation failed for ${names}: ${message}`);
      if (validationActions.includes('Deny')) deny(violation);
      const record = { message, policy: name, binding: bindingName, expressionIndex, validationActions };
      if (validationActions.includes('Audit')) violated ??= JSON.stringify([record]);
    }
    failures.forEach(deny);
    for (const [key, value] of values) {
      const known = own.get(`${name}/${key}`) ?? [];
      if (!known.includes(value)) own.set(`${name}/${key}`, [...known, value]);
    }
  }
  const annotations = Object.fromEntries([...own].map(([key, values]) => [key, values.join(', ')]));
  return { denial, warnings, annotations: { ...(violated !== undefined && { [VIOLATED]: violated }), ...annotations } };
}

function failureOf({ spec }: ValidatingPolicy, message: string): PolicyDenial[] {
  return spec.failurePolicy === 'Ignore' ? [] : [{ message, reason: 'Invalid' }];
}

/** The judgement of one policy about a write. */
interface Judgement {
  readonly violations: readonly Violation[];
  /** Failures that no action of a binding is about. */
  readonly failures: readonly PolicyDenial[];
  /** Keys and values of its audit annotations. */
  readonly values: ReadonlyArray<readonly [key: string, value: string]>;
}

function judged(policy: ValidatingPolicy, request: AdmissionRequest, params: KubeObject | undefined): Judgement {
  const { spec } = policy;
  try {
    const bindings = bindingsOf(request, params);
    if (!meetsConditions(spec.matchConditions ?? [], bindings)) return { violations: [], failures: [], values: [] };
    const budget = CostBudget.ofPolicy();
    const all = withPolicyVariables(spec, bindings, budget);
    const violations = (spec.validations ?? []).flatMap((validation, index) => {
      try {
        const isMet = evaluateExpression(validation.expression, all, budget) === true;
        return isMet ? [] : [{ ...denialOf(validation, all, budget), index }];
      } catch (error) {
        if (error === BUDGET_SPENT) throw error;
        return failureOf(policy, failedExpression(validation.expression, error)).map((one) => ({ ...one, index }));
      }
    });
    return { violations, ...annotated(policy, all, budget) };
  } catch (error) {
    const violations = failureOf(policy, firstLine(error)).map((failure) => ({ ...failure, index: 0 }));
    return { violations, failures: [], values: [] };
  }
}

/** The audit annotations of a policy. An empty value, and null, are left out. */
function annotated(
  policy: ValidatingPolicy,
  bindings: Bindings,
  budget: CostBudget,
): Pick<Judgement, 'failures' | 'values'> {
  const failures: PolicyDenial[] = [];
  const values: [string, string][] = [];
  for (const { key = '', valueExpression = '' } of policy.spec.auditAnnotations ?? []) {
    try {
      const value = evaluateExpression(valueExpression, bindings, budget);
      const text = typeof value === 'string' ? value.trim().slice(0, ANNOTATION_MAX) : '';
      if (text !== '') values.push([key, text]);
    } catch (error) {
      if (error === BUDGET_SPENT) throw error;
      failures.push(...failureOf(policy, failedExpression(valueExpression, error)));
    }
  }
  return { failures, values };
}

function denialOf(
  { expression, message, messageExpression, reason }: PolicyValidation,
  bindings: Bindings,
  budget: CostBudget,
): PolicyDenial {
  const text = message ?? `failed expression: ${expression.trim()}`;
  try {
    const own = messageExpression === undefined ? undefined : evaluateExpression(messageExpression, bindings, budget);
    return { message: typeof own === 'string' && own !== '' ? own : text, reason: reason ?? 'Invalid' };
  } catch (error) {
    if (error === BUDGET_SPENT) throw error;
    return { message: text, reason: reason ?? 'Invalid' };
  }
}
