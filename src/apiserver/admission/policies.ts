import { errorMessage, type KubeObject, type LabelSelector } from '../../api/index.ts';
import type { AdmissionRequest } from './admission-request.ts';
import {
  BUDGET_SPENT,
  evaluateExpression,
  type Bindings,
  type CostBudget,
  type MatchCondition,
} from './expressions.ts';
import { isMatched, type AdmissionMatch, type AdmissionRule } from './match-rules.ts';

interface MatchResources extends Omit<AdmissionMatch, 'rules' | 'excluded'> {
  readonly resourceRules?: readonly AdmissionRule[];
  readonly excludeResourceRules?: readonly AdmissionRule[];
}

/** The kind of the parameters of a policy. */
export interface ParamKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The parts that validating and mutating policies share. Source: k8s.io/api/admissionregistration/v1. */
export interface PolicySpec {
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly MatchCondition[];
  readonly failurePolicy?: string;
}

/** A policy of either kind. */
export interface AnyPolicy extends KubeObject {
  readonly spec: PolicySpec;
}

/** A ValidatingAdmissionPolicyBinding or MutatingAdmissionPolicyBinding. */
export interface PolicyBinding extends KubeObject {
  readonly spec: {
    readonly policyName?: string;
    readonly paramRef?: {
      readonly name?: string;
      readonly namespace?: string;
      readonly selector?: LabelSelector;
      readonly parameterNotFoundAction?: string;
    };
    readonly matchResources?: MatchResources;
    /** Validating policies have it. */
    readonly validationActions?: readonly string[];
  };
}

/** The policies of a kind, and where they apply. */
export interface Policies<P extends AnyPolicy> {
  readonly policies: readonly P[];
  readonly bindings: readonly PolicyBinding[];
  /** True for a kind that the server has. */
  readonly hasKind: (kind: ParamKind) => boolean;
  /**
   * Finds the objects that a binding names.
   * @throws {TypeError} for a binding that cannot name any
   */
  readonly paramsOf: (policy: P, binding: PolicyBinding) => readonly KubeObject[];
}

/** A policy that is about a write, with an object of parameters. */
interface Invocation<P extends AnyPolicy> {
  readonly policy: P;
  /** Undefined: no binding of the policy can be asked. */
  readonly binding: PolicyBinding | undefined;
  readonly params: KubeObject | undefined;
  /** The reason why the policy cannot be asked. */
  readonly problem?: string;
}

/**
 * The policies that are about a write, once for each object of parameters.
 * Source: apiserver/pkg/admission/plugin/policy/generic/policy_dispatcher.go.
 */
export function invocationsOf<P extends AnyPolicy>(
  { policies, bindings, hasKind, paramsOf }: Policies<P>,
  request: AdmissionRequest,
): Invocation<P>[] {
  const about = policies.filter(({ spec }) => isSelected(spec.matchConstraints, request));
  return about.flatMap((policy) => {
    const named = bindings.filter(({ spec: { policyName } }) => policyName === policy.metadata.name);
    const { paramKind } = policy.spec;
    // Whatever the bindings match: the policy itself cannot be asked.
    if (named.length > 0 && paramKind !== undefined && !hasKind(paramKind))
      return [{ policy, binding: undefined, params: undefined, problem: noSuchParams(paramKind) }];
    const own = named.filter(({ spec: { matchResources } }) => {
      return matchResources === undefined || isSelected(matchResources, request, true);
    });
    return own.flatMap((binding) => withParams(policy, binding, paramsOf));
  });
}

/** Source: apiserver/pkg/admission/plugin/policy/generic/policy_source.go. */
function noSuchParams({ apiVersion, kind }: ParamKind): string {
  const version = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  return `failed to configure policy: failed to find resource referenced by paramKind: '${version}, Kind=${kind}'`;
}

/** Names a policy and its binding in a message. */
export function policyNames({ policy, binding }: Pick<Invocation<AnyPolicy>, 'binding' | 'policy'>): string {
  return `'${policy.metadata.name}'${binding === undefined ? '' : ` with binding '${binding.metadata.name}'`}`;
}

function withParams<P extends AnyPolicy>(
  policy: P,
  binding: PolicyBinding,
  paramsOf: Policies<P>['paramsOf'],
): Invocation<P>[] {
  const { paramRef } = binding.spec;
  if (policy.spec.paramKind === undefined || paramRef === undefined) return [{ policy, binding, params: undefined }];
  const failed = (problem: string): Invocation<P>[] => {
    return [{ policy, binding, params: undefined, problem: `failed to configure binding: ${problem}` }];
  };
  try {
    const all = paramsOf(policy, binding);
    if (all.length > 0) return all.map((params) => ({ policy, binding, params }));
    const isNeeded = paramRef.parameterNotFoundAction === 'Deny';
    return isNeeded ? failed('no params found for policy binding with `Deny` parameterNotFoundAction') : [];
  } catch (error) {
    return failed(firstLine(error));
  }
}

/** @param isAnyResource true: without rules every resource is meant */
function isSelected(match: MatchResources | undefined, request: AdmissionRequest, isAnyResource = false): boolean {
  const { resourceRules, excludeResourceRules, ...selectors } = match ?? {};
  const any = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*', '*/*'] };
  const rules = isAnyResource && resourceRules === undefined ? [any] : (resourceRules ?? []);
  return isMatched({ ...selectors, rules, excluded: excludeResourceRules }, request);
}

/**
 * The variables of a policy. Each may use those before it, and is evaluated once, when an expression needs it.
 * Source: apiserver/pkg/admission/plugin/cel/composition.go.
 */
export function withPolicyVariables(
  { variables = [] }: PolicySpec,
  bindings: Bindings,
  budget: CostBudget,
): Bindings & { readonly variables: Readonly<Record<string, unknown>> } {
  const values: Record<string, unknown> = {};
  const known = { ...bindings, variables: values };
  for (const variable of variables) {
    let result: (() => unknown) | undefined;
    const get = (): unknown => (result ??= variableResult(variable, known, budget))();
    Object.defineProperty(values, variable.name, { enumerable: true, get });
  }
  return known;
}

/** The value of a variable, or its error. */
function variableResult({ name, expression }: MatchCondition, known: Bindings, budget: CostBudget): () => unknown {
  try {
    const value = evaluateExpression(expression, known, budget);
    return () => value;
  } catch (error) {
    const why = `composited variable ${JSON.stringify(name)} fails to evaluate: ${firstLine(error)}`;
    const failure = error === BUDGET_SPENT ? error : new Error(why, { cause: error });
    return () => {
      throw failure;
    };
  }
}

/** The text of an error about an expression. */
export function failedExpression(expression: string, error: unknown): string {
  return `expression '${expression}' resulted in error: ${firstLine(error)}`;
}

export function firstLine(error: unknown): string {
  return errorMessage(error).split('\n')[0] ?? '';
}
