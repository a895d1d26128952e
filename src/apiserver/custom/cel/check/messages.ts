import type { ASTNode } from '@marcbachmann/cel-js';

/** A mistake in an expression. */
export interface Mistake {
  /** The place in the text. */
  readonly at: number;
  readonly text: string;
}

/** The mistakes of an expression as cel-go writes them. Source: cel-go, common/error.go. */
export function textOfMistakes(expression: string, mistakes: readonly Mistake[]): string {
  return mistakes
    .toSorted((one, other) => one.at - other.at)
    .map(({ at, text }) => {
      const before = expression.slice(0, at).split('\n');
      const line = expression.split('\n')[before.length - 1] ?? '';
      const column = before.at(-1)?.length ?? 0;
      return `ERROR: <input>:${before.length}:${column + 1}: ${text}\n | ${line}\n | ${'.'.repeat(column)}^`;
    })
    .join('\n');
}

/** The place by which cel-go names a part of an expression: its operator, its dot, its bracket. */
export function placeOf(node: ASTNode): number {
  const { op, args, input, start } = node;
  switch (op) {
    case '.':
    case '.?':
      return input.lastIndexOf('.', node.pos);
    case '[]':
    case '[?]':
      return input.indexOf('[', args[0].end);
    case 'call':
      return input.indexOf('(', start);
    case 'rcall':
      return input.indexOf('(', input.indexOf('.', args[1].end));
    case '?:':
      return input.indexOf('?', args[0].end);
    case 'value':
    case 'id':
    case 'list':
    case 'map':
    case '!_':
    case '-_':
      return start;
    case '&&':
    case '||':
    case '==':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
    case 'in':
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
    default:
      return input.indexOf(op, args[0].end);
  }
}

const EXPECTED =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** The mistake of a text that the package cannot parse, in the words of cel-go where it has the same. */
export function syntaxMistakes(expression: string, error: unknown): Mistake[] {
  const { code, summary, range } = error as { code?: string; summary?: string; range?: { start: number } };
  const at = range?.start ?? 0;
  const end = { at: expression.length, text: `Syntax error: mismatched input '<EOF>' expecting ${EXPECTED}` };
  if (code === 'unexpected_token' && at >= expression.length) return [end];
  if (code?.startsWith('unterminated') === true) {
    return [{ at, text: `Syntax error: token recognition error at: '${expression.slice(at)}'` }, end];
  }
  return [{ at, text: `Syntax error: ${summary ?? String(error)}` }];
}
