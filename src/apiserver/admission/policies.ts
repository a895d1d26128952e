import type { KubeObject } from '../../api/index.ts';
import type { AdmissionRequest } from './admission-request.ts';
import {
  bindingsOf,
  BUDGET_SPENT,
  CostBudget,
  evaluateExpression,
  meetsConditions,
  type Bindings,
  type MatchCondition,
} from './expressions.ts';
import { isMatched, type AdmissionMatch, type AdmissionRule } from './match-rules.ts';

interface MatchResources extends Omit<AdmissionMatch, 'rules' | 'excluded'> {
  readonly resourceRules?: readonly AdmissionRule[];
  readonly excludeResourceRules?: readonly AdmissionRule[];
}

/** A ValidatingAdmissionPolicy. Source: k8s.io/api/admissionregistration/v1. */
export interface AdmissionPolicy extends KubeObject {
  readonly spec: {
    readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
    readonly matchConstraints?: MatchResources;
    readonly validations?: readonly PolicyValidation[];
    readonly matchConditions?: readonly MatchCondition[];
    readonly variables?: readonly MatchCondition[];
    readonly auditAnnotations?: readonly { readonly valueExpression?: string }[];
    readonly failurePolicy?: string;
  };
}

interface PolicyValidation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

/** A ValidatingAdmissionPolicyBinding. */
export interface PolicyBinding extends KubeObject {
  readonly spec: {
    readonly policyName?: string;
    readonly paramRef?: {
      readonly name?: string;
      readonly namespace?: string;
      readonly parameterNotFoundAction?: string;
    };
    readonly matchResources?: MatchResources;
    readonly validationActions?: readonly string[];
  };
}

/** A write that a policy does not permit. */
export interface PolicyDenial {
  readonly message: string;
  /** The reason of the Status: `Invalid`, `Forbidden`, … */
  readonly reason: string;
}

/** The policies' answer to a write. */
export interface PolicyVerdict {
  readonly denial: PolicyDenial | undefined;
  readonly warnings: readonly string[];
}

interface Policies {
  readonly policies: readonly AdmissionPolicy[];
  readonly bindings: readonly PolicyBinding[];
  /** Finds the object that a binding names. */
  readonly paramsOf: (policy: AdmissionPolicy, binding: PolicyBinding) => KubeObject | undefined;
}

/** Asks the policies about a write. Source: apiserver/pkg/admission/plugin/policy/validating. */
export function askPolicies({ policies, bindings, paramsOf }: Policies, request: AdmissionRequest): PolicyVerdict {
  const warnings: string[] = [];
  let denial: PolicyDenial | undefined;
  for (const binding of bindings) {
    const policy = policies.find(({ metadata }) => metadata.name === binding.spec.policyName);
    const isAbout = policy !== undefined && isSelected(policy.spec.matchConstraints, request);
    const isBound = binding.spec.matchResources === undefined || isSelected(binding.spec.matchResources, request, true);
    if (!isAbout || !isBound) continue;
    const params = policy.spec.paramKind === undefined ? undefined : paramsOf(policy, binding);
    const names = `ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}'`;
    const actions = binding.spec.validationActions ?? ['Deny'];
    for (const { message, reason } of violations(policy, binding, request, params)) {
      if (actions.includes('Warn')) warnings.push(`Validation failed for ${names}: ${message}`);
      if (actions.includes('Deny')) denial ??= { message: `${names} denied request: ${message}`, reason };
    }
  }
  return { denial, warnings };
}

/** @param isAnyResource true: without rules every resource is meant */
function isSelected(match: MatchResources | undefined, request: AdmissionRequest, isAnyResource = false): boolean {
  const { resourceRules, excludeResourceRules, ...selectors } = match ?? {};
  const any = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*', '*/*'] };
  const rules = isAnyResource && resourceRules === undefined ? [any] : (resourceRules ?? []);
  return isMatched({ ...selectors, rules, excluded: excludeResourceRules }, request);
}

function violations(
  { spec }: AdmissionPolicy,
  binding: PolicyBinding,
  request: AdmissionRequest,
  params: KubeObject | undefined,
): PolicyDenial[] {
  if (spec.paramKind !== undefined && params === undefined) {
    const isAllowed = binding.spec.paramRef?.parameterNotFoundAction === 'Allow';
    return isAllowed
      ? []
      : [{ message: 'no params found for policy binding with `Deny` parameterNotFoundAction', reason: 'Invalid' }];
  }
  const isLenient = spec.failurePolicy === 'Ignore';
  const failed = (message: string): PolicyDenial[] => (isLenient ? [] : [{ message, reason: 'Invalid' }]);
  try {
    const bindings = bindingsOf(request, params);
    if (!meetsConditions(spec.matchConditions ?? [], bindings)) return [];
    const budget = CostBudget.ofPolicy();
    const all = withVariables(spec.variables ?? [], bindings, budget);
    return (spec.validations ?? []).flatMap((validation) => {
      try {
        const isMet = evaluateExpression(validation.expression, all, budget) === true;
        return isMet ? [] : [denialOf(validation, all, budget)];
      } catch (error) {
        if (error === BUDGET_SPENT) throw error;
        return failed(`expression '${validation.expression}' resulted in error: ${firstLine(error)}`);
      }
    });
  } catch (error) {
    return failed(firstLine(error));
  }
}

/** Each variable may use those before it. */
function withVariables(variables: readonly MatchCondition[], bindings: Bindings, budget: CostBudget): Bindings {
  const values: Record<string, unknown> = {};
  const known = { ...bindings, variables: values };
  for (const { name, expression } of variables) values[name] = evaluateExpression(expression, known, budget);
  return known;
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

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
}
