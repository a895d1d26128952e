import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { Checker } from './checker.ts';
import type { CelVariables } from './estimate.ts';
import { syntaxMistakes, textOfMistakes } from './messages.ts';
import type { CelType } from './types.ts';

/** An expression that can be evaluated. */
interface CheckedExpression {
  readonly type: CelType;
  /** The most that an evaluation costs. */
  readonly cost: number;
  /** The variables that it uses. */
  readonly names: ReadonlySet<string>;
}

/** Checks the types of an expression, and estimates its cost. The error is as cel-go writes it. */
export function checkExpression(
  environment: Environment,
  text: string,
  scope: CelVariables,
): CheckedExpression | { readonly error: string } {
  let ast: ASTNode;
  try {
    ({ ast } = environment.parse(text));
  } catch (error) {
    return { error: textOfMistakes(text, syntaxMistakes(text, error)) };
  }
  const checker = new Checker();
  const { type, cost } = checker.visit(ast, scope);
  const { mistakes, names } = checker;
  return mistakes.length > 0 ? { error: textOfMistakes(text, mistakes) } : { type, cost, names };
}
