import {
  applyPatch,
  atomicParts,
  checkApplied,
  isSameJson,
  type JsonObject,
  type KubeObject,
  mergeFields,
  type Shape,
} from '../../api/index.ts';
import { checkConstructedTypes, constructedType, jsonOfCel } from '../custom/cel/constructed.ts';
import type { AdmissionRequest } from './admission-request.ts';
import {
  bindingsOf,
  BUDGET_SPENT,
  CostBudget,
  evaluateExpression,
  meetsConditions,
  type Bindings,
} from './expressions.ts';
import { decodedAs, patchReason } from './patched-by-webhook.ts';
import {
  failedExpression,
  firstLine,
  invocationsOf,
  policyNames,
  withPolicyVariables,
  type Policies,
  type PolicySpec,
} from './policies.ts';

/** A MutatingAdmissionPolicy. Source: k8s.io/api/admissionregistration/v1. */
export interface MutatingPolicy extends KubeObject {
  readonly spec: PolicySpec & {
    readonly mutations?: readonly PolicyMutation[];
    readonly reinvocationPolicy?: string;
  };
}

interface PolicyMutation {
  readonly patchType: string;
  readonly applyConfiguration?: { readonly expression: string };
  readonly jsonPatch?: { readonly expression: string };
}

/** The object as policies leave it. */
interface MutationOutcome {
  readonly object: KubeObject;
  /** The refusals: `policy 'a' with binding 'b' denied request: …`. */
  readonly problems: readonly { readonly message: string; readonly reason: 'Invalid' | 'Forbidden' }[];
}

/**
 * Lets policies change an object, one after the other: each sees the changes of those before it.
 * Source: apiserver/pkg/admission/plugin/policy/mutating/dispatcher.go.
 * @param shape the way in which an apply merges the object
 */
export function mutatedByPolicies(
  policies: Policies<MutatingPolicy>,
  request: AdmissionRequest & { readonly object: KubeObject },
  shape: Shape,
): MutationOutcome {
  const problems: MutationOutcome['problems'][number][] = [];
  let { object } = request;
  for (const { policy, binding, params, problem } of invocationsOf(policies, request)) {
    const fail = (why: string, reason: 'Invalid' | 'Forbidden'): void => {
      if (policy.spec.failurePolicy === 'Ignore') return;
      const names = `policy ${policyNames({ policy, binding })}`;
      problems.push({ message: `${names} denied request: ${why}`, reason });
    };
    if (problem === undefined)
      object = mutatedBy(policy, { request, object, params, shape }, (why) => fail(why, 'Invalid'));
    else fail(problem, 'Forbidden');
  }
  return { object, problems };
}

interface Mutated {
  readonly request: AdmissionRequest;
  readonly object: KubeObject;
  readonly params: KubeObject | undefined;
  readonly shape: Shape;
}

/** A mutation that fails changes nothing; those behind it are tried all the same. */
function mutatedBy({ spec }: MutatingPolicy, subject: Mutated, fail: (why: string) => void): KubeObject {
  const { request, params, shape } = subject;
  const bindingsFor = (object: KubeObject): Bindings => bindingsOf({ ...request, object }, params);
  let { object } = subject;
  try {
    const bindings = bindingsFor(object);
    if (!meetsConditions(spec.matchConditions ?? [], bindings)) return object;
    const budget = CostBudget.ofPolicy();
    const { variables } = withPolicyVariables(spec, bindings, budget);
    for (const mutation of spec.mutations ?? []) {
      try {
        const expression = (mutation.applyConfiguration ?? mutation.jsonPatch)?.expression.trim() ?? '';
        const value = valueOf(expression, { ...bindingsFor(object), variables }, budget);
        const isApply = mutation.patchType === 'ApplyConfiguration';
        const changed = isApply ? applied(object, value, shape) : patched(object, value);
        object = decodedAs(request.objectKind ?? request, changed);
      } catch (error) {
        if (error === BUDGET_SPENT) throw error;
        fail(firstLine(error));
      }
    }
  } catch (error) {
    fail(firstLine(error));
  }
  return object;
}

function valueOf(expression: string, bindings: Bindings, budget: CostBudget): unknown {
  try {
    return evaluateExpression(expression, bindings, budget);
  } catch (error) {
    if (error === BUDGET_SPENT) throw error;
    throw new TypeError(failedExpression(expression, error), { cause: error });
  }
}

/**
 * Merges an apply configuration into an object. No manager owns its fields.
 * Source: apiserver/pkg/admission/plugin/policy/mutating/patch/smd.go.
 * @throws {TypeError} when it does not fit the schema
 */
function applied(object: KubeObject, value: unknown, shape: Shape): unknown {
  if (constructedType(value) !== 'Object')
    throw new TypeError('unsupported return type from ApplyConfiguration expression');
  checkConstructedTypes(value, 'Object');
  const { apiVersion, kind } = object;
  const wanted = { ...(jsonOfCel(value) as JsonObject), apiVersion, kind };
  const mistakes = checkApplied(shape, wanted);
  const head = 'error applying patch:';
  if (mistakes.length > 0)
    throw new TypeError(`${head} failed to convert patch object to typed object: ${mistakes.join(', ')}`);
  const atomic = atomicParts(shape, wanted);
  if (atomic.length > 0)
    throw new TypeError(
      `${head} invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomic.join(', ')}`,
    );
  return mergeFields(shape, object, wanted);
}

const TEST_FAILED = /failed: test failed$/;

/**
 * An object with the JSON patch of a policy. A `test` that fails leaves it unchanged.
 * Source: apiserver/pkg/admission/plugin/policy/mutating/patch/json_patch.go.
 * @throws {TypeError} when the patch does not fit the object
 */
function patched(object: KubeObject, value: unknown): unknown {
  const operations: readonly unknown[] = Array.isArray(value) ? value : [];
  for (const operation of operations) {
    const { value: own } = operation as { readonly value?: unknown };
    const type = constructedType(own);
    if (type !== undefined) checkConstructedTypes(own, type);
  }
  const patch = operations.map(jsonOfCel);
  try {
    return applyPatch(object, patch, 'json');
  } catch (error) {
    const why = patchReason(error);
    if (TEST_FAILED.test(why)) return object;
    throw new TypeError(`JSONPath: ${why}`, { cause: error });
  }
}

/** The policies that are asked again when anything has changed the object behind them. */
export function reinvocable(all: Policies<MutatingPolicy>): Policies<MutatingPolicy> {
  return { ...all, policies: all.policies.filter(({ spec }) => spec.reinvocationPolicy === 'IfNeeded') };
}

/** True when something has changed an object. */
export function isMutated(before: KubeObject, after: KubeObject): boolean {
  return !isSameJson(before, after);
}
