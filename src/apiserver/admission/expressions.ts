import type { Environment } from '@marcbachmann/cel-js';
import { CelValues } from '../custom/cel/cel-values.ts';
import { withoutConstructions } from '../custom/cel/check/constructions.ts';
import { addConstructions } from '../custom/cel/constructed.ts';
import { newEnvironment, parseExpression, type Program } from '../custom/cel/environment.ts';
import { evaluate } from '../custom/cel/running-cost.ts';
import { addAuthorizerLibrary, CelAuthorizer } from './authorizer.ts';
import { reviewRequestOf, type AdmissionRequest } from './admission-request.ts';

/** The names that expressions of admission use. */
const VARIABLES = ['object', 'oldObject', 'request', 'params', 'namespaceObject', 'variables', 'authorizer'];

let known: Environment | undefined;
const programs = new Map<string, Program>();
const PROGRAMS_MAX = 10_000;

/** The values of the variables. */
export type Bindings = Readonly<Record<string, unknown>>;

/** @param params the object that a policy has as its parameters */
export function bindingsOf(request: AdmissionRequest, params?: unknown): Bindings {
  const values = new CelValues();
  const celValue = (value: unknown): unknown => values.of(undefined, value);
  return {
    object: celValue(request.object ?? null),
    oldObject: celValue(request.oldObject ?? null),
    request: celValue(reviewRequestOf({ ...request, object: undefined, oldObject: undefined }, '')),
    params: celValue(params ?? null),
    namespaceObject: celValue(request.namespaceObject ?? null),
    variables: {},
    authorizer: new CelAuthorizer(request),
  };
}

/** The error of expressions that cost too much together. */
export const BUDGET_SPENT: Error = new Error(
  'validation failed due to running out of cost budget, no further validation rules will be run',
);

/** The costs that the expressions of one policy, or the conditions of one webhook, may have together. */
export class CostBudget {
  #left: number;

  private constructor(most: number) {
    this.#left = most;
  }

  /** Source of both: apiserver/pkg/apis/cel/config.go. */
  static ofPolicy(): CostBudget {
    return new CostBudget(10_000_000);
  }

  static ofConditions(): CostBudget {
    return new CostBudget(2_500_000);
  }

  /** @throws {@link BUDGET_SPENT} when nothing is left */
  spend(cost: number): void {
    this.#left -= cost;
    if (this.#left < 0) throw BUDGET_SPENT;
  }
}

/**
 * Evaluates an expression.
 * @throws an error of the package when it is no expression, or fails
 * @throws {@link BUDGET_SPENT} when the budget is spent
 */
export function evaluateExpression(text: string, bindings: Bindings, budget: CostBudget): unknown {
  let program = programs.get(text);
  if (program === undefined) {
    program = parseExpression(admissionEnvironment(), withoutConstructions(text).text);
    if (programs.size >= PROGRAMS_MAX) programs.clear();
    programs.set(text, program);
  }
  const { value, error, cost } = evaluate(program.run, bindings);
  budget.spend(cost);
  if (error !== undefined) throw error;
  return value;
}

/** The language of the expressions of policies and webhooks. */
export function admissionEnvironment(): Environment {
  if (known === undefined) {
    known = newEnvironment(VARIABLES);
    addAuthorizerLibrary(known);
    addConstructions(known);
  }
  return known;
}

/** A condition that a write must meet for a webhook or policy to be asked. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/**
 * True when all conditions are met.
 * @throws when a condition fails and none is false: the failure policy decides
 */
export function meetsConditions(conditions: readonly MatchCondition[], bindings: Bindings): boolean {
  const budget = CostBudget.ofConditions();
  const failures: unknown[] = [];
  for (const { expression } of conditions) {
    try {
      if (evaluateExpression(expression, bindings, budget) !== true) return false;
    } catch (error) {
      if (error === BUDGET_SPENT) throw error;
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return true;
}
