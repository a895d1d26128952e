import type { ASTNode, Environment } from '@marcbachmann/cel-js';
import { Checker } from './checker.ts';
import type { CelVariables } from './estimate.ts';
import { literalMistakes } from './literals.ts';
import { withoutConstructions } from './constructions.ts';
import { syntaxMistakes, textOfMistakes, type Mistake } from './messages.ts';
import type { CelType } from './types.ts';

/** An expression that can be evaluated. */
interface CheckedExpression {
  readonly type: CelType;
  /** The most that an evaluation costs. */
  readonly cost: number;
  /** The variables that it uses. */
  readonly names: ReadonlySet<string>;
}

/**
 * Checks the types of an expression, and estimates its cost. The error is as cel-go writes it.
 * @param mayConstruct true: the expression may construct objects, as mutations do
 */
export function checkExpression(
  environment: Environment,
  text: string,
  scope: CelVariables,
  mayConstruct = false,
): CheckedExpression | { readonly error: string } {
  const given = mayConstruct ? withoutConstructions(text) : { text, placeOf: (at: number) => at };
  const failed = (mistakes: readonly Mistake[]): { readonly error: string } => {
    return {
      error: textOfMistakes(
        text,
        mistakes.map((one) => ({ ...one, at: given.placeOf(one.at) })),
      ),
    };
  };
  let ast: ASTNode;
  try {
    ({ ast } = environment.parse(given.text));
  } catch (error) {
    return failed(syntaxMistakes(given.text, error));
  }
  const checker = new Checker();
  const { type, cost } = checker.visit(ast, scope);
  const { names, types } = checker;
  const mistakes = checker.mistakes.length > 0 ? checker.mistakes : literalMistakes(ast, types);
  return mistakes.length > 0 ? failed(mistakes) : { type, cost, names };
}
