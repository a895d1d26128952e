import type { Environment } from '@marcbachmann/cel-js';
import type { ValidationRule } from '../base/schema.ts';
import { checkExpression } from './check/check-expression.ts';
import type { CelVariables } from './check/estimate.ts';
import { newEnvironment, parseExpression, type Program } from './environment.ts';

let environment: Environment | undefined;
const programs = new Map<string, RuleProgram>();
const PROGRAMS_MAX = 10_000;

/** A rule, or its message, that can be evaluated. */
interface RuleProgram extends Program {
  readonly usesOldSelf: boolean;
}

function ruleEnvironment(): Environment {
  environment ??= newEnvironment(['self', 'oldSelf']);
  return environment;
}

/** @throws ParseError when the text is no expression */
export function ruleProgram(text: string): RuleProgram {
  const known = programs.get(text);
  if (known !== undefined) return known;
  const program = { ...parseExpression(ruleEnvironment(), text), usesOldSelf: /\boldSelf\b/.test(text) };
  if (programs.size >= PROGRAMS_MAX) programs.clear();
  programs.set(text, program);
  return program;
}

/** The check of an expression, before it is evaluated. */
interface CheckedText {
  /** In the words of the API server. */
  readonly error: string | undefined;
  /** The most that an evaluation costs. */
  readonly cost: number;
  readonly usesOldSelf: boolean;
}

/**
 * Checks a rule and its message by the types of its variables.
 * Source: apiextensions, pkg/apiserver/schema/cel/compilation.go.
 */
export function checkedRule(
  { rule, messageExpression }: ValidationRule,
  scope: CelVariables,
): { readonly rule: CheckedText; readonly message: CheckedText | undefined } {
  const isMessage = messageExpression !== undefined && messageExpression !== '';
  return {
    rule: checkedText(rule, scope, { kind: 'bool', otherwise: 'cel expression must evaluate to a bool', head: '' }),
    message: isMessage
      ? checkedText(messageExpression, scope, {
          kind: 'string',
          otherwise: 'messageExpression must evaluate to a string',
          head: 'messageExpression ',
        })
      : undefined,
  };
}

function checkedText(
  text: string,
  scope: CelVariables,
  { kind, otherwise, head }: { readonly kind: string; readonly otherwise: string; readonly head: string },
): CheckedText {
  const checked = checkExpression(ruleEnvironment(), text, scope);
  if ('error' in checked) return { error: `${head}compilation failed: ${checked.error}`, cost: 0, usesOldSelf: false };
  const { type, cost, names } = checked;
  const isWanted = type.kind === kind || type.kind === 'dyn';
  return {
    error: isWanted ? undefined : otherwise,
    cost: isWanted ? cost : 0,
    usesOldSelf: names.has('oldSelf'),
  };
}
