import { expect, it } from 'vitest';
import { type AstNode, isNode, lineAt, nodesOf, sourcesBelow } from './source.ts';

/** No shorter than the least time of a test that has none of its own: see vitest.config.ts. */
const TEST_MS = 180_000;

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

it('no test has less time than all have: a busy machine needs a second for each process, and more', () => {
  const wrong = sourcesBelow('test').flatMap((file) => {
    const nodes = nodesOf(file.ast);
    const short = new Set(['PATIENT', ...nodes.flatMap(shortLimitNamed)]);
    const isShort = (node: AstNode): boolean => short.has(nameOf(node) ?? '') || isShortLimit(node);
    return nodes
      .filter((node) => node.type === 'CallExpression' && /^(it|test|describe)$/.test(rootOf(node) ?? ''))
      .filter((node) => (node['arguments'] as AstNode[]).some(isShort))
      .map((node) => `${file.path}:${lineAt(file, node.start)}`);
  });
  expect(wrong).toEqual([]);
});

/** The name of a constant with options whose time is too short. */
function shortLimitNamed(node: AstNode): string[] {
  const name = node.type === 'VariableDeclarator' ? nameOf(node['id']) : undefined;
  return name !== undefined && isNode(node['init']) && isShortLimit(node['init']) ? [name] : [];
}

/** True for a number of milliseconds, or options with such a number, that is too small. */
function isShortLimit(node: AstNode): boolean {
  if (node.type === 'Literal') return typeof node['value'] === 'number' && node['value'] < TEST_MS;
  if (node.type !== 'ObjectExpression') return false;
  return (node['properties'] as AstNode[]).some(
    ({ key, value }) => nameOf(key) === 'timeout' && isNode(value) && (isShortLimit(value) || isOfPatient(value)),
  );
}

/** True for `2 * PATIENT.timeout` and the like. */
function isOfPatient(node: AstNode): boolean {
  return nodesOf(node).some((each) => nameOf(each) === 'PATIENT');
}

/** The name at the beginning of a call: `it` of `it.concurrent.each(…)(…)`. */
function rootOf(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === 'CallExpression') return rootOf(node['callee']);
  if (node.type === 'TaggedTemplateExpression') return rootOf(node['tag']);
  return node.type === 'MemberExpression' ? rootOf(node['object']) : nameOf(node);
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.type === 'Identifier' ? String(node['name']) : undefined;
}
