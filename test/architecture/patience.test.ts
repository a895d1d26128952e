import { expect, it } from 'vitest';
import { type AstNode, isNode, lineAt, nodesOf, sourcesBelow } from './source.ts';

/** Limits of test/patience.ts, and names for them. */
const PATIENT = /\b(PATIENT|PATIENCE_MS|GONE_WITHIN_MS|LOOKS|SOON)\b/;

it('what a test waits for may take all patience: vitest alone would wait for a second', () => {
  const wrong = sourcesBelow('test')
    .filter(({ path }) => path.endsWith('.ts'))
    .flatMap((file) => {
      const textOf = (node: unknown): string => (isNode(node) ? file.text.slice(node.start, node.end) : '');
      const isHasty = ({ type, callee, arguments: given }: AstNode): boolean =>
        type === 'CallExpression' &&
        /^vi\.(waitFor|waitUntil)$/.test(textOf(callee)) &&
        !PATIENT.test(textOf((given as readonly AstNode[])[1]));
      return nodesOf(file.ast)
        .filter(isHasty)
        .map((node) => `${file.path}:${lineAt(file, node.start)}`);
    });
  expect(wrong).toEqual([]);
});
