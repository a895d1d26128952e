import type { Environment, ParseResult } from '@marcbachmann/cel-js';
import { celValue } from '../custom/cel/cel-values.ts';
import { newEnvironment, parseExpression } from '../custom/cel/environment.ts';
import { addAuthorizerLibrary, CelAuthorizer } from './authorizer.ts';
import { reviewRequestOf, type AdmissionRequest } from './admission-request.ts';

/** The names that expressions of admission use. */
const VARIABLES = ['object', 'oldObject', 'request', 'params', 'namespaceObject', 'variables', 'authorizer'];

let environment: Environment | undefined;
const programs = new Map<string, ParseResult>();
const PROGRAMS_MAX = 10_000;

/** The values of the variables. */
export type Bindings = Readonly<Record<string, unknown>>;

/** @param params the object that a policy has as its parameters */
export function bindingsOf(request: AdmissionRequest, params?: unknown): Bindings {
  return {
    object: celValue(undefined, request.object ?? null),
    oldObject: celValue(undefined, request.oldObject ?? null),
    request: celValue(undefined, reviewRequestOf({ ...request, object: undefined, oldObject: undefined }, '')),
    params: celValue(undefined, params ?? null),
    namespaceObject: celValue(undefined, request.namespaceObject ?? null),
    variables: {},
    authorizer: new CelAuthorizer(request),
  };
}

/**
 * Evaluates an expression.
 * @throws an error of the package when it is no expression, or fails
 */
export function evaluateExpression(text: string, bindings: Bindings): unknown {
  let program = programs.get(text);
  if (program === undefined) {
    environment ??= admissionEnvironment();
    program = parseExpression(environment, text);
    if (programs.size >= PROGRAMS_MAX) programs.clear();
    programs.set(text, program);
  }
  return program(bindings) as unknown;
}

function admissionEnvironment(): Environment {
  const made = newEnvironment(VARIABLES);
  addAuthorizerLibrary(made);
  return made;
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
  const failures: unknown[] = [];
  for (const { expression } of conditions) {
    try {
      if (evaluateExpression(expression, bindings) !== true) return false;
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return true;
}
